-- The chunks of the memory that an id names, of an event or of a chunk, in order; none if nothing has the id.
CREATE OR REPLACE FUNCTION memory_with(p_tenant uuid, p_id uuid) RETURNS uuid[] LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE k memory_chunk;
BEGIN
    SELECT * INTO k FROM chunk_of(p_tenant, p_id);
    IF k.id IS NOT NULL AND k.event_id IS NULL THEN RETURN ARRAY[k.id]; END IF;
    RETURN ARRAY(SELECT c.id FROM memory_chunk c
        WHERE c.tenant_id = p_tenant AND c.event_id = coalesce(k.event_id, p_id) ORDER BY c.chunk_index);
END $$;
