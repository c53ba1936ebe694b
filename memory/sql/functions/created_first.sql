-- When the first version of a memory was recorded that a reader hears and no edit removed; p_chunk is the first chunk of a
-- version.
CREATE OR REPLACE FUNCTION created_first(p_tenant uuid, p_chunk uuid, p_reader reader) RETURNS timestamptz LANGUAGE plpgsql
STABLE SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    below uuid := p_chunk;
    digest bytea := (SELECT k.key_digest FROM memory_relation k
        WHERE k.tenant_id = p_tenant AND k.later_id = p_chunk AND k.key_digest IS NOT NULL LIMIT 1);
    first timestamptz;
    x memory_effectivechunk;
BEGIN
    first := (
        SELECT y.ts FROM memory_relation r
        CROSS JOIN LATERAL (
            SELECT y.ts FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = r.later_id
              AND NOT y.is_retracted AND hears(p_reader, y.audience) LIMIT 1) y
        WHERE r.tenant_id = p_tenant AND r.key_digest = digest ORDER BY r.id LIMIT 1);
    IF first IS NOT NULL THEN RETURN first; END IF;
    LOOP
        SELECT y.* INTO x FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = below;
        IF x.is_retracted OR NOT hears(p_reader, x.audience) THEN RETURN first; END IF;
        first := x.ts;
        below := (SELECT r.earlier_id FROM memory_relation r
            WHERE r.tenant_id = p_tenant AND r.later_id = below AND r.kind = 'update' ORDER BY r.earlier_id LIMIT 1);
        IF below IS NULL THEN RETURN first; END IF;
    END LOOP;
END $$;
