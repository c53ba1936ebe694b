-- Void what apps derived from words that these chunks no longer say, or that nobody reads any more: in the transaction
-- of the change, and once the projection has it. An app `<name>` that derives something from words, such as embeddings,
-- has a function void_derived_of_<name>(tenant, chunks). It keys what it derives by the chunk's content_id and span and
-- by the model that made it, and deletes what is keyed otherwise than the chunk is now, or is of a chunk that is
-- retracted or superseded. It derives nothing here: that is for a job.
CREATE OR REPLACE FUNCTION void_derived(p_tenant uuid, p_chunks uuid[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE step text;
BEGIN
    IF p_chunks IS NULL OR p_chunks = '{}' THEN RETURN; END IF;
    FOR step IN SELECT f FROM functions_beginning('void_derived_of_') f LOOP
        EXECUTE format('SELECT %I($1, $2)', step) USING p_tenant, p_chunks;
    END LOOP;
END $$;

ALTER FUNCTION void_derived OWNER TO suture_gate;
