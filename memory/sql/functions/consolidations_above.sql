-- The consolidations of some chunks, and consolidations of those.
CREATE OR REPLACE FUNCTION consolidations_above(p_tenant uuid, p_chunks uuid[]) RETURNS uuid[] LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    above uuid[] := p_chunks;
    found uuid[] := '{}';
BEGIN
    LOOP
        above := ARRAY(
            SELECT DISTINCT s.successor_id FROM unnest(above) i (id) CROSS JOIN LATERAL (
                SELECT z.successor_id FROM memory_supersession z
                WHERE z.tenant_id = p_tenant AND z.superseded_id = i.id AND z.kind = 'consolidation' OFFSET 0) s
            WHERE NOT s.successor_id = ANY (found));
        EXIT WHEN above = '{}';
        found := found || above;
    END LOOP;
    RETURN found;
END $$;
