-- executable by: suture_app
-- The chunks with these ids that the reader may see, in no particular order.
CREATE OR REPLACE FUNCTION get_chunks(
    p_tenant uuid, p_ids uuid[], p_listening text[], p_include_quarantined boolean
) RETURNS SETOF chunk_row LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    v_reader reader := reader_including(p_tenant, p_listening, p_include_quarantined);
BEGIN
    RETURN QUERY
    SELECT * FROM chunk_rows(v_tenant, p_ids, p_listening, v_reader, p_include_quarantined);
END $$;
