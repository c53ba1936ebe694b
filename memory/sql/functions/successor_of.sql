-- The chunk that replaces a chunk now: the nearest successor that readers get, neither retracted nor quarantined; of
-- several the latest. NULL if there is none: then the chunk itself is returned again. A consolidation of a
-- consolidation also replaces the originals while the one between them is hidden.
CREATE OR REPLACE FUNCTION successor_of(p_tenant uuid, p_chunk uuid) RETURNS uuid LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    above uuid[] := ARRAY[p_chunk];
    found uuid;
BEGIN
    LOOP
        above := ARRAY(
            SELECT s.successor_id FROM unnest(above) i (id) CROSS JOIN LATERAL (
                SELECT z.successor_id, z.successor_seq FROM memory_supersession z
                WHERE z.tenant_id = p_tenant AND z.superseded_id = i.id
                UNION ALL
                SELECT r.later_id, NULL FROM memory_relation r
                WHERE r.tenant_id = p_tenant AND r.earlier_id = i.id AND r.kind = 'update') s
            ORDER BY s.successor_seq DESC, s.successor_id DESC);
        IF above = '{}' THEN RETURN NULL; END IF;
        SELECT x.id INTO found FROM unnest(above) WITH ORDINALITY i (id, place)
        CROSS JOIN LATERAL (
            SELECT y.id FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = i.id
              AND NOT y.is_retracted AND NOT y.is_quarantined LIMIT 1) x
        ORDER BY i.place LIMIT 1;
        IF found IS NOT NULL THEN RETURN found; END IF;
    END LOOP;
END $$;
