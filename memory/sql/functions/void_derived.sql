-- Delete what apps derived from text that these chunks no longer have, or that nobody may read any more, in the
-- transaction of the change, after the projection is updated. An app `<name>` that derives data from text, such as
-- embeddings, has a function void_derived_of_<name>(tenant, chunks). Its keys are the chunk's content_id and span and
-- the model, and it deletes rows with other keys than the chunk has now, and rows of retracted or superseded chunks. A
-- job, not this function, derives the new values.
CREATE OR REPLACE FUNCTION void_derived(p_tenant uuid, p_chunks uuid[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE step text;
BEGIN
    IF p_chunks IS NULL OR p_chunks = '{}' THEN RETURN; END IF;
    FOR step IN SELECT f FROM functions_beginning('void_derived_of_') f LOOP
        EXECUTE format('SELECT %I($1, $2)', step) USING p_tenant, p_chunks;
    END LOOP;
END $$;
