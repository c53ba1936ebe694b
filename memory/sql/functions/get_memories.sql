-- executable by: suture_app
-- The current versions of the memories that some ids name, of events or chunks of any version, that the reader gets.
CREATE OR REPLACE FUNCTION get_memories(
    p_tenant uuid, p_ids uuid[], p_listening text[], p_include_quarantined boolean
) RETURNS SETOF memory_row LANGUAGE plpgsql STABLE SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE v_reader reader := reader_including(p_tenant, p_listening, p_include_quarantined);
BEGIN
    RETURN QUERY
    SELECT * FROM memory_rows(p_tenant,
        ARRAY(SELECT DISTINCT current_memory(p_tenant, i.id, v_reader) FROM unnest(p_ids) i (id)),
        p_listening, v_reader, p_include_quarantined);
END $$;
