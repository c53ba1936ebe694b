-- Lock a capsule and everything forwarded from it until the end of the transaction; returns their ids. It locks one
-- generation after the other: forwarding locks the forwarded capsule, so a locked generation gets no more children.
CREATE OR REPLACE FUNCTION lock_capsules(p_tenant uuid, p_capsule uuid) RETURNS uuid[] LANGUAGE plpgsql SECURITY DEFINER
AS $$
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
