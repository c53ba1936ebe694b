-- The chunks made from some chunks: what copies or quotes them, the consolidations of them, and what was made from these.
-- Their readers must hear what they were made from (audience_of_sources).
CREATE OR REPLACE FUNCTION made_from(p_tenant uuid, p_chunks uuid[]) RETURNS uuid[] LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    above uuid[] := p_chunks;
    found uuid[] := '{}';
BEGIN
    LOOP
        above := ARRAY(
            SELECT DISTINCT x.id FROM unnest(above) i (id) CROSS JOIN LATERAL (
                (SELECT r.later_id AS id FROM memory_relation r
                 WHERE r.tenant_id = p_tenant AND r.earlier_id = i.id AND r.kind IN ('copy', 'quote') OFFSET 0)
                UNION ALL
                (SELECT s.successor_id FROM memory_supersession s
                 WHERE s.tenant_id = p_tenant AND s.superseded_id = i.id AND s.kind = 'consolidation' OFFSET 0)) x
            WHERE NOT x.id = ANY (found));
        EXIT WHEN above = '{}';
        found := found || above;
    END LOOP;
    RETURN found;
END $$;
