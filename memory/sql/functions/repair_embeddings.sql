-- Delete every embedding that embedding_drift reports, and have the job compute it again. Answers how many chunks.
CREATE OR REPLACE FUNCTION repair_embeddings(p_tenant uuid) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE chunks uuid[] := ARRAY(SELECT DISTINCT d.id FROM embedding_drift(p_tenant) d ORDER BY 1);
BEGIN
    PERFORM void_derived_of_memory(p_tenant, chunks);
    RETURN cardinality(chunks);
END $$;

ALTER FUNCTION repair_embeddings OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION repair_embeddings TO suture_owner;
