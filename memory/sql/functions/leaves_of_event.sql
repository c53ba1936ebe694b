-- The leaves (governance/sql/functions/append_leaves.sql) of events.
CREATE OR REPLACE FUNCTION leaves_of_event(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT e.id, jsonb_build_array('event/1', e.tenant_id, e.id,
        scope_leaf(e.scope, e.subject_type, e.subject_id, e.project_id, e.session_id, e.channel, e.sensitivity, e.ts),
        e.actor_type, e.actor_id, e.kind, e.tags, e.refs, e.redacted, e.retention,
        e.content_id, encode(coalesce(t.sha256, tx.sha256), 'hex'),
        e.fields_id, encode(coalesce(f.sha256, fx.sha256), 'hex'),
        e.recorder_kind, e.recorded_by, e.recorder, microseconds(e.recorded_at))
    FROM unnest(p_ids) w (id)
    CROSS JOIN LATERAL (SELECT * FROM memory_event o WHERE o.tenant_id = p_tenant AND o.id = w.id LIMIT 1) e
    LEFT JOIN LATERAL content_of(p_tenant, e.content_id) t ON true
    LEFT JOIN LATERAL content_of(p_tenant, e.fields_id) f ON true
    LEFT JOIN governance_erasedcontent tx ON tx.tenant_id = p_tenant AND tx.id = e.content_id
    LEFT JOIN governance_erasedcontent fx ON fx.tenant_id = p_tenant AND fx.id = e.fields_id;
END $$;

ALTER FUNCTION leaves_of_event OWNER TO suture_gate;
