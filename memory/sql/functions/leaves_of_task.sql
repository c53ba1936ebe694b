-- The leaves (governance/sql/functions/append_leaves.sql) of task updates.
CREATE OR REPLACE FUNCTION leaves_of_task(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT t.id, jsonb_build_array('task/1', t.tenant_id, t.id,
        scope_leaf(t.scope, t.subject_type, t.subject_id, t.project_id, t.session_id, t.channel, t.sensitivity, t.ts),
        t.task_id, t.event_id, t.status, t.content_id, encode(coalesce(c.sha256, cx.sha256), 'hex'),
        t.details_id, encode(coalesce(f.sha256, fx.sha256), 'hex'))
    FROM unnest(p_ids) w (id)
    CROSS JOIN LATERAL (SELECT * FROM memory_task o WHERE o.tenant_id = p_tenant AND o.id = w.id LIMIT 1) t
    LEFT JOIN LATERAL content_of(p_tenant, t.content_id) c ON true
    LEFT JOIN LATERAL content_of(p_tenant, t.details_id) f ON true
    LEFT JOIN governance_erasedcontent cx ON cx.tenant_id = p_tenant AND cx.id = t.content_id
    LEFT JOIN governance_erasedcontent fx ON fx.tenant_id = p_tenant AND fx.id = t.details_id;
END $$;

ALTER FUNCTION leaves_of_task OWNER TO suture_gate;
