-- executable by: suture_app
-- The current versions of the memories that some ids name, of events or chunks of any version, that the reader gets. As of
-- a time, of each the version that is named if readers got it then, else the newest that they got.
CREATE OR REPLACE FUNCTION get_memories(
    p_tenant uuid, p_ids uuid[], p_at timestamptz, p_listening text[], p_include_quarantined boolean
) RETURNS SETOF memory_row LANGUAGE plpgsql STABLE SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE v_reader reader := reader_including(p_tenant, p_listening, p_include_quarantined);
BEGIN
    IF p_at IS NULL THEN
        RETURN QUERY
        SELECT * FROM memory_rows(p_tenant,
            ARRAY(SELECT DISTINCT current_memory(p_tenant, i.id, v_reader) FROM unnest(p_ids) i (id)),
            p_listening, v_reader, p_include_quarantined);
        RETURN;
    END IF;
    PERFORM require_past_reader(v_reader);
    RETURN QUERY
    SELECT DISTINCT ON (m.chunk_id) m.* FROM unnest(p_ids) i (id) CROSS JOIN LATERAL (
        SELECT y.* FROM unnest(versions_with(p_tenant, i.id)) v (id)
        CROSS JOIN LATERAL memory_at(p_tenant, v.id, p_at, p_listening, v_reader, p_include_quarantined) y
        ORDER BY v.id = (memory_with(p_tenant, i.id))[1] DESC, v.id DESC LIMIT 1) m;
END $$;
