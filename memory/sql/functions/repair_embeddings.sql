-- executable by: suture_owner
-- Delete every embedding that embedding_drift reports, and let the job compute it again. Returns the number of chunks.
CREATE OR REPLACE FUNCTION repair_embeddings(p_tenant uuid) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE chunks uuid[] := ARRAY(SELECT DISTINCT d.id FROM embedding_drift(p_tenant) d ORDER BY 1);
BEGIN
    PERFORM void_derived_of_memory(p_tenant, chunks);
    RETURN cardinality(chunks);
END $$;
