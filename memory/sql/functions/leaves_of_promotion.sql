-- The leaves (governance/sql/functions/append_leaves.sql) of promotions.
CREATE OR REPLACE FUNCTION leaves_of_promotion(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT m.id, jsonb_build_array('promotion/1', m.tenant_id, m.id, m.chunk_id, m.number, m.kind, m.from_tier, m.to_tier, m.reason,
        m.evidence, m.promoter_kind, m.promoted_by, m.promoter, microseconds(m.at))
    FROM unnest(p_ids) w (id)
    CROSS JOIN LATERAL (SELECT * FROM memory_promotion o WHERE o.tenant_id = p_tenant AND o.id = w.id LIMIT 1) m;
END $$;

ALTER FUNCTION leaves_of_promotion OWNER TO suture_gate;
