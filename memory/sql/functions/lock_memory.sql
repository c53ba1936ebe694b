-- Lock one memory until the end of the transaction: its chunks with their neighbours, whose context an edit changes, in
-- session order; then its decisions by id. For an agent's own memory also its chain and the memories that an edit may
-- hide or restore (lock_agent_chains); for a file, the chunks that share words with it (file_neighbours). Every caller
-- takes these locks in this order, for any record of the memory.
CREATE OR REPLACE FUNCTION lock_memory(p_tenant uuid, p_event uuid, p_chunk uuid) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    PERFORM lock_surroundings(p_tenant, lock_agent_chains(p_tenant,
        file_neighbours(p_tenant, chunks_of_memory(p_tenant, p_event, p_chunk))));
    IF p_event IS NOT NULL THEN
        PERFORM 1 FROM memory_effectivedecision x WHERE x.tenant_id = p_tenant AND x.event_id = p_event
        ORDER BY x.id FOR UPDATE;
    END IF;
END $$;
