-- The leaves (append_leaves.sql) of verdicts.
CREATE OR REPLACE FUNCTION leaves_of_verdict(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE sql STABLE AS $$
    SELECT v.id, jsonb_build_array('verdict/1', v.tenant_id, v.id, v.edit_id, v.decision, v.decider_kind,
        v.decided_by, v.decider, microseconds(v.decided_at), v.reason, v.proposed_by, encode(v.patch_sha256, 'hex'))
    FROM governance_verdict v
    WHERE v.tenant_id = p_tenant AND v.id = ANY (p_ids)
$$;

ALTER FUNCTION leaves_of_verdict OWNER TO suture_gate;
