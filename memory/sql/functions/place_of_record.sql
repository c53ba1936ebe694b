-- Where the texts of a chunk, an event or a typed record of one stand; NULL for other records.
CREATE OR REPLACE FUNCTION place_of_record(p_tenant uuid, p_record uuid) RETURNS value_place LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    k memory_chunk;
    e memory_event;
BEGIN
    SELECT * INTO k FROM chunk_of(p_tenant, p_record);
    IF FOUND THEN RETURN place_of_chunk(k); END IF;
    SELECT * INTO e FROM event_of(p_tenant, coalesce(
        (SELECT d.event_id FROM memory_decision d WHERE d.tenant_id = p_tenant AND d.id = p_record),
        (SELECT t.event_id FROM memory_task t WHERE t.tenant_id = p_tenant AND t.id = p_record),
        (SELECT a.event_id FROM memory_artifact a WHERE a.tenant_id = p_tenant AND a.id = p_record), p_record));
    IF FOUND THEN RETURN place_of_event(e); END IF;
    RETURN NULL;
END $$;
