-- When the first version of a memory was recorded that a reader hears and no edit removed, by the versions that updated
-- each other; p_chunk is the first chunk of the last one.
CREATE OR REPLACE FUNCTION created_first(p_tenant uuid, p_chunk uuid, p_reader reader) RETURNS timestamptz LANGUAGE plpgsql
STABLE SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    below uuid := p_chunk;
    first timestamptz;
    x memory_effectivechunk;
BEGIN
    LOOP
        SELECT y.* INTO x FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = below;
        IF x.is_retracted OR NOT hears(p_reader, x.audience) THEN RETURN first; END IF;
        first := x.ts;
        below := (SELECT r.earlier_id FROM memory_relation r
            WHERE r.tenant_id = p_tenant AND r.later_id = below AND r.kind = 'update' ORDER BY r.earlier_id LIMIT 1);
        IF below IS NULL THEN RETURN first; END IF;
    END LOOP;
END $$;
