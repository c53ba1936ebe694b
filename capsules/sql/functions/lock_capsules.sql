-- Hold a capsule, and all that was ever forwarded of it, to the end of the transaction; answers their ids. One
-- generation after the other: who forwards holds what they forward, so that once a generation is held, its children
-- are all there.
CREATE OR REPLACE FUNCTION lock_capsules(p_tenant uuid, p_capsule uuid) RETURNS uuid[] LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    generation uuid[] := ARRAY[p_capsule];
    held uuid[] := '{}';
BEGIN
    WHILE generation <> '{}' LOOP
        PERFORM 1 FROM capsules_effectivecapsule x WHERE x.tenant_id = p_tenant AND x.id = ANY (generation)
        ORDER BY x.id FOR UPDATE;
        held := held || generation;
        SELECT coalesce(array_agg(c.id ORDER BY c.id), '{}') INTO generation FROM capsules_capsule c
        WHERE c.tenant_id = p_tenant AND c.forwards_id = ANY (generation);
    END LOOP;
    RETURN held;
END $$;

ALTER FUNCTION lock_capsules OWNER TO suture_gate;
