-- The audience of what a chunk was made from: the memories that it copies or quotes, and for a consolidation its originals. A reader
-- must hear each. NULL if they have none.
CREATE OR REPLACE FUNCTION audience_of_sources(p_tenant uuid, p_chunk uuid) RETURNS int[] LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN (
        SELECT array_agg(DISTINCT n ORDER BY n) FROM (
            SELECT r.earlier_id AS id FROM memory_relation r
            WHERE r.tenant_id = p_tenant AND r.later_id = p_chunk AND r.kind IN ('copy', 'quote')
            UNION ALL
            SELECT s.superseded_id FROM memory_supersession s
            WHERE s.tenant_id = p_tenant AND s.successor_id = p_chunk AND s.kind = 'consolidation') o
        CROSS JOIN LATERAL (
            SELECT y.audience FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = o.id LIMIT 1) x
        CROSS JOIN LATERAL unnest(x.audience) n);
END $$;
