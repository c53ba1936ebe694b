-- Lock some chunks and their neighbours, whose context they change, until the end of the transaction, always in session
-- order. Otherwise, two neighbours edited concurrently would each miss the other's change. A transaction locks what it
-- changes once: locking again, after more was recorded nearby, would take rows out of order and could deadlock. Records
-- made while this waited are locked if they are free. If not, they have no borrowed words yet, and the job that lends
-- them waits for this transaction (complete_context); or the caller must retry.
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
