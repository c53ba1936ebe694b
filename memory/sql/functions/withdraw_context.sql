-- Recompute what the neighbours of some chunks have of them, after an edit or an erasure changed who may read these or
-- what they say: the vectors of words at once, and what apps derived from a neighbour with them is void. The caller has
-- locked p_surroundings, the chunks with their neighbours.
CREATE OR REPLACE FUNCTION withdraw_context(p_tenant uuid, p_chunks uuid[], p_surroundings uuid[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM refresh_context(p_tenant, p_surroundings);
    -- each neighbour, also where no stem changed: an embedding has words that are none
    PERFORM change_context(p_tenant, ARRAY(SELECT unnest(p_surroundings) EXCEPT SELECT unnest(p_chunks) ORDER BY 1), true);
END $$;

ALTER FUNCTION withdraw_context OWNER TO suture_gate;
