-- Lock some chunks, and their neighbours, whose context they change, until the end of the transaction: in session order,
-- as everybody locks them. Two neighbours that are edited at once would otherwise each miss what the other no longer says.
-- A transaction locks what it changes once: who locks again, when more was recorded beside it, takes rows out of order, and
-- waits for somebody who waits for it. What was recorded while this waited is locked if it is free. If it is not, it has no
-- words of others yet, and the job that lends it some waits for us (complete_context); or the caller has to try again.
CREATE OR REPLACE FUNCTION lock_surroundings(p_tenant uuid, p_chunks uuid[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    locked uuid[] := surroundings_of(p_tenant, p_chunks);
    beside uuid[];
    recorded uuid[];
BEGIN
    IF cardinality(p_chunks) > 20 THEN PERFORM set_config('plan_cache_mode', 'force_custom_plan', true); END IF;  -- as there
    PERFORM 1 FROM unnest(locked) i (id)
    CROSS JOIN LATERAL (
        SELECT 1 FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.id = i.id FOR UPDATE) held;
    LOOP
        beside := surroundings_of(p_tenant, p_chunks);
        EXIT WHEN beside = locked;
        recorded := ARRAY(SELECT unnest(beside) EXCEPT SELECT unnest(locked));
        EXIT WHEN recorded = '{}';
        PERFORM 1 FROM unnest(recorded) i (id)
        CROSS JOIN LATERAL (
            SELECT 1 FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.id = i.id
            FOR UPDATE SKIP LOCKED) held
        HAVING count(*) < cardinality(recorded);
        IF FOUND AND EXISTS (
            SELECT FROM unnest(recorded) i (id) CROSS JOIN LATERAL (
                SELECT FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.id = i.id AND x.lex IS NOT NULL
                LIMIT 1) worded)
        THEN
            RAISE EXCEPTION 'memory was recorded concurrently' USING ERRCODE = 'serialization_failure';
        END IF;
        locked := locked || recorded;
    END LOOP;
END $$;
