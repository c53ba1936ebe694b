-- Delete what apps derived from words that these chunks no longer have, or that nobody may read any more: in the
-- transaction of the change, after the projection is updated. An app `<name>` that derives something from words, such
-- as embeddings, has a function void_derived_of_<name>(tenant, chunks). It keys what it derives by the chunk's
-- content_id and span and by the model, and deletes what has another key than the chunk now, or belongs to a retracted
-- or superseded chunk. A job derives the new values, not this function.
CREATE OR REPLACE FUNCTION void_derived(p_tenant uuid, p_chunks uuid[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE step text;
BEGIN
    IF p_chunks IS NULL OR p_chunks = '{}' THEN RETURN; END IF;
    FOR step IN SELECT f FROM functions_beginning('void_derived_of_') f LOOP
        EXECUTE format('SELECT %I($1, $2)', step) USING p_tenant, p_chunks;
    END LOOP;
END $$;
