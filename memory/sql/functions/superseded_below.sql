-- The chunks that some chunks may replace: those that they superseded or updated, and below a hidden one those that it superseded.
-- Whether readers get these depends on whether they get p_chunks.
CREATE OR REPLACE FUNCTION superseded_below(p_tenant uuid, p_chunks uuid[]) RETURNS uuid[] LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    below uuid[] := p_chunks;
    found uuid[] := '{}';
BEGIN
    LOOP
        below := ARRAY(
            SELECT DISTINCT s.superseded_id FROM unnest(below) i (id) CROSS JOIN LATERAL (
                SELECT z.superseded_id FROM memory_supersession z
                WHERE z.tenant_id = p_tenant AND z.successor_id = i.id
                UNION ALL
                SELECT r.earlier_id FROM memory_relation r
                WHERE r.tenant_id = p_tenant AND r.later_id = i.id AND r.kind = 'update'
                  AND r.earlier_id IS NOT NULL) s
            WHERE NOT s.superseded_id = ANY (found));
        EXIT WHEN below = '{}';
        found := found || below;
        below := ARRAY(
            SELECT i.id FROM unnest(below) i (id) CROSS JOIN LATERAL (
                SELECT FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = i.id
                  AND (y.is_retracted OR y.is_quarantined) LIMIT 1) x);
    END LOOP;
    RETURN found;
END $$;
