-- The leaves (governance/sql/functions/append_leaves.sql) of promotions.
CREATE OR REPLACE FUNCTION leaves_of_promotion(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE sql STABLE AS $$
    SELECT m.id, jsonb_build_array('promotion/1', m.tenant_id, m.id, m.chunk_id, m.number, m.kind, m.from_tier, m.to_tier,
        m.reason, m.evidence, m.promoter_kind, m.promoted_by, m.promoter, microseconds(m.at))
    FROM memory_promotion m
    WHERE m.tenant_id = p_tenant AND m.id = ANY (p_ids)
$$;

ALTER FUNCTION leaves_of_promotion OWNER TO suture_gate;
