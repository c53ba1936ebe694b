-- executable by: suture_app
-- Summaries that other sessions left about the subject or the project, newest first.
CREATE OR REPLACE FUNCTION get_handoff(
    p_tenant uuid, p_session_id text, p_subject_type text, p_subject_id text, p_project_id text, p_listening text[], p_include_quarantined boolean, p_offset int, p_limit int, p_beyond int
) RETURNS SETOF context_chunk_row LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_reader reader := reader_including(p_tenant, p_listening, p_include_quarantined);
    v_tenant uuid := p_tenant;
    reach int := p_offset + p_limit + p_beyond;
    ids uuid[];
    hidden uuid[];
    met int;
BEGIN
    SELECT array_agg(h.chunk_id) FILTER (WHERE NOT h.is_hidden), array_agg(h.chunk_id) FILTER (WHERE h.is_hidden),
        count(*)
    INTO ids, hidden, met
    FROM handoff_ids(v_tenant, p_session_id, p_subject_type, p_subject_id, p_project_id, p_listening,
        v_reader, p_include_quarantined, true, reach) h;
    IF met = reach AND hidden IS NOT NULL THEN
        -- hidden summaries used up the page: fetch visible ones only
        SELECT array_agg(h.chunk_id) INTO ids
        FROM handoff_ids(v_tenant, p_session_id, p_subject_type, p_subject_id, p_project_id, p_listening,
            v_reader, p_include_quarantined, false, reach) h;
    END IF;
    RETURN QUERY
    SELECT *
    FROM context_chunks(v_tenant, ids[p_offset + 1 : p_offset + p_limit] || hidden[: p_beyond], NULL, p_listening,
        v_reader, p_include_quarantined, coalesce(cardinality(ids), 0)) c
    ORDER BY c.ts DESC, c.chunk_id DESC;
END $$;
