-- The chunks of one memory, in the order in which they are locked: those of p_event, or p_chunk if it has no event.
CREATE OR REPLACE FUNCTION chunks_of_memory(p_tenant uuid, p_event uuid, p_chunk uuid) RETURNS uuid[] LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    IF p_event IS NULL THEN RETURN ARRAY[p_chunk]; END IF;
    RETURN ARRAY(SELECT c.id FROM memory_chunk c WHERE c.tenant_id = p_tenant AND c.event_id = p_event ORDER BY c.id);
END $$;
