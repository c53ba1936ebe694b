-- Whether the job (complete_context) has yet to update a chunk's vector of words, for the chunk itself or for a
-- neighbour.
CREATE OR REPLACE FUNCTION is_context_pending(k memory_chunk) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM memory_pendingcontext p WHERE p.tenant_id = k.tenant_id AND p.id = k.id)
        OR EXISTS (SELECT FROM neighbours_of(k, '{}', NULL) n
                   JOIN memory_pendingcontext p ON p.tenant_id = k.tenant_id AND p.id = n.chunk_id);
END $$;
