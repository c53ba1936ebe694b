-- Recompute what the neighbours of some chunks have of them (borrowers_of), after an edit or an erasure changed who may
-- read these or what they say: the vectors of words at once, and what apps derived from a neighbour with them is void.
-- The caller has locked the chunks with their neighbours (lock_surroundings).
CREATE OR REPLACE FUNCTION withdraw_context(p_tenant uuid, p_chunks uuid[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE beside uuid[] := ARRAY(SELECT unnest(borrowers_of(p_tenant, p_chunks)) EXCEPT SELECT unnest(p_chunks) ORDER BY 1);
BEGIN
    PERFORM refresh_context(p_tenant, p_chunks || beside);
    -- each of them, also where no stem changed: an embedding has words that are none
    PERFORM change_context(p_tenant, beside, true);
END $$;
