-- The chunks that repeat some chunks: those of the kind `copy`, or with p_kind `quote` those that quote them.
CREATE OR REPLACE FUNCTION repeats_of(p_tenant uuid, p_chunks uuid[], p_kind text) RETURNS uuid[] LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN ARRAY(
        SELECT DISTINCT r.later_id FROM unnest(p_chunks) i (id) CROSS JOIN LATERAL (
            SELECT y.later_id FROM memory_relation y
            WHERE y.tenant_id = p_tenant AND y.earlier_id = i.id AND y.kind = p_kind OFFSET 0) r
        ORDER BY 1);
END $$;
