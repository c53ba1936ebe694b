-- The leaves (append_leaves.sql) of edits.
CREATE OR REPLACE FUNCTION leaves_of_edit(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb) LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT e.id, jsonb_build_array('edit/1', e.tenant_id, e.id, microseconds(e.created_at), e.target_type,
        e.target_id, e.op, e.reason, e.proposer_kind, e.proposed_by, e.proposer, encode(coalesce(c.sha256, x.sha256), 'hex'),
        e.importance, e.importance_delta, e.channel, e.reverts_id, encode(e.patch_sha256, 'hex'),
        e.approvals_required, e.policy, e.batch_id)
    FROM unnest(p_ids) w (id)
    CROSS JOIN LATERAL (SELECT * FROM governance_edit o WHERE o.tenant_id = p_tenant AND o.id = w.id LIMIT 1) e
    LEFT JOIN LATERAL content_of(p_tenant, e.content_id) c ON true
    LEFT JOIN governance_erasedcontent x ON x.tenant_id = p_tenant AND x.id = e.content_id;
END $$;

ALTER FUNCTION leaves_of_edit OWNER TO suture_gate;
