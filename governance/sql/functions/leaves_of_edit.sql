-- The leaves (append_leaves.sql) of edits.
CREATE OR REPLACE FUNCTION leaves_of_edit(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE sql STABLE AS $$
    SELECT e.id, jsonb_build_array('edit/1', e.tenant_id, e.id, microseconds(e.created_at), e.target_type,
        e.target_id, e.op, e.reason, e.proposer_kind, e.proposed_by, e.proposer,
        (SELECT sha.hex FROM content_digest(p_tenant, e.content_id) sha),
        e.importance, e.importance_delta, e.channel, e.reverts_id, encode(e.patch_sha256, 'hex'),
        e.approvals_required, e.policy, e.batch_id)
    FROM governance_edit e
    WHERE e.tenant_id = p_tenant AND e.id = ANY (p_ids)
$$;

ALTER FUNCTION leaves_of_edit OWNER TO suture_gate;
