-- The chunks that say the same as a chunk (memory_duplicate), about the same subject.
CREATE OR REPLACE FUNCTION duplicates_of(p_tenant uuid, p_chunk uuid) RETURNS SETOF uuid LANGUAGE sql STABLE ROWS 1 AS $$
    SELECT d.other_id FROM memory_duplicate d WHERE d.tenant_id = p_tenant AND d.chunk_id = p_chunk
    UNION ALL
    SELECT d.chunk_id FROM memory_duplicate d WHERE d.tenant_id = p_tenant AND d.other_id = p_chunk
$$;
