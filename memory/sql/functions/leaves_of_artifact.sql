-- The leaves (governance/sql/functions/append_leaves.sql) of artifacts.
CREATE OR REPLACE FUNCTION leaves_of_artifact(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT a.id, jsonb_build_array('artifact/1', a.tenant_id, a.id,
        scope_leaf(a.scope, a.subject_type, a.subject_id, a.project_id, a.session_id, a.channel, a.sensitivity, a.ts),
        a.event_id, a.content_id, encode(coalesce(c.sha256, x.sha256), 'hex'), a.media_type)
    FROM unnest(p_ids) w (id)
    CROSS JOIN LATERAL (SELECT * FROM memory_artifact o WHERE o.tenant_id = p_tenant AND o.id = w.id LIMIT 1) a
    LEFT JOIN LATERAL content_of(p_tenant, a.content_id) c ON true
    LEFT JOIN governance_erasedcontent x ON x.tenant_id = p_tenant AND x.id = a.content_id;
END $$;

ALTER FUNCTION leaves_of_artifact OWNER TO suture_gate;
