-- Refold the memory of a chunk, which the caller has locked. apply_edit calls this for a target of type chunk.
CREATE OR REPLACE FUNCTION refold_chunk(p_tenant uuid, p_chunk uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM 1 FROM memory_chunk c WHERE c.tenant_id = p_tenant AND c.id = p_chunk;
    IF NOT FOUND THEN RAISE EXCEPTION 'this chunk does not exist' USING ERRCODE = 'SU404'; END IF;
    PERFORM refold_locked_memories(p_tenant, ARRAY[p_chunk]);
END $$;
