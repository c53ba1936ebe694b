-- Update the projections of one memory from its fold. If two edits of one memory are approved at once, the second waits
-- for the lock, and then its fold, a separate statement, sees what the first committed.
CREATE OR REPLACE FUNCTION refold_memory(p_tenant uuid, p_event uuid, p_chunk uuid) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER AS $$
BEGIN
    PERFORM lock_memory(p_tenant, p_event, p_chunk);
    PERFORM refold_locked_memories(p_tenant, chunks_of_memory(p_tenant, p_event, p_chunk));
END $$;
