-- The leaves (governance/sql/functions/append_leaves.sql) of capsules, with the hashes of the original note and risks.
CREATE OR REPLACE FUNCTION leaves_of_capsule(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT c.id, jsonb_build_array('capsule/1', c.tenant_id, c.id, c.scope, c.subject_type, c.subject_id, c.project_id,
        c.author_kind, c.authored_by, c.author, microseconds(c.created_at), microseconds(c.expires_at), c.sensitivity,
        c.may_forward, c.note_id, encode(coalesce(n.sha256, nx.sha256), 'hex'),
        c.risks_id, encode(coalesce(r.sha256, rx.sha256), 'hex'), c.ttl_days, c.forwards_id)
    FROM unnest(p_ids) w (id)
    CROSS JOIN LATERAL (SELECT * FROM capsules_capsule o WHERE o.tenant_id = p_tenant AND o.id = w.id LIMIT 1) c
    LEFT JOIN LATERAL content_of(p_tenant, c.note_id) n ON true
    LEFT JOIN LATERAL content_of(p_tenant, c.risks_id) r ON true
    LEFT JOIN governance_erasedcontent nx ON nx.tenant_id = p_tenant AND nx.id = c.note_id
    LEFT JOIN governance_erasedcontent rx ON rx.tenant_id = p_tenant AND rx.id = c.risks_id;
END $$;

ALTER FUNCTION leaves_of_capsule OWNER TO suture_gate;
