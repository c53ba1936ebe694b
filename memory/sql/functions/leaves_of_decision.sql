-- The leaves (governance/sql/functions/append_leaves.sql) of decisions.
CREATE OR REPLACE FUNCTION leaves_of_decision(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT d.id, jsonb_build_array('decision/1', d.tenant_id, d.id,
        scope_leaf(d.scope, d.subject_type, d.subject_id, d.project_id, d.session_id, d.channel, d.sensitivity, d.ts),
        d.event_id, d.content_id, encode(coalesce(c.sha256, cx.sha256), 'hex'),
        d.details_id, encode(coalesce(f.sha256, fx.sha256), 'hex'), d.supersedes_id)
    FROM unnest(p_ids) w (id)
    CROSS JOIN LATERAL (SELECT * FROM memory_decision o WHERE o.tenant_id = p_tenant AND o.id = w.id LIMIT 1) d
    LEFT JOIN LATERAL content_of(p_tenant, d.content_id) c ON true
    LEFT JOIN LATERAL content_of(p_tenant, d.details_id) f ON true
    LEFT JOIN governance_erasedcontent cx ON cx.tenant_id = p_tenant AND cx.id = d.content_id
    LEFT JOIN governance_erasedcontent fx ON fx.tenant_id = p_tenant AND fx.id = d.details_id;
END $$;

ALTER FUNCTION leaves_of_decision OWNER TO suture_gate;
