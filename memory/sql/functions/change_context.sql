-- Tell the apps that the neighbours of some chunks have changed. An app `<name>` that derives data from a chunk with
-- its neighbours (neighbours_of), such as an embedding, has a function change_context_of_<name>(tenant, chunks,
-- is_withdrawn). If words were withdrawn, it deletes the derived data; in any case, a job derives it again.
CREATE OR REPLACE FUNCTION change_context(p_tenant uuid, p_chunks uuid[], p_is_withdrawn boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE step text;
BEGIN
    IF p_chunks IS NULL OR p_chunks = '{}' THEN RETURN; END IF;
    FOR step IN SELECT f FROM functions_beginning('change_context_of_') f LOOP
        EXECUTE format('SELECT %I($1, $2, $3)', step) USING p_tenant, p_chunks, p_is_withdrawn;
    END LOOP;
END $$;
