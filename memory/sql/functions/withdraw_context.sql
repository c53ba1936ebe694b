-- Recompute what some chunks lend to their neighbours (borrowers_of), after an edit or an erasure changed their text or
-- their readers: updates the vectors of words at once, and voids what apps derived from a neighbour with them. The
-- caller has locked the chunks with their neighbours (lock_surroundings).
CREATE OR REPLACE FUNCTION withdraw_context(p_tenant uuid, p_chunks uuid[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE beside uuid[] := ARRAY(SELECT unnest(borrowers_of(p_tenant, p_chunks)) EXCEPT SELECT unnest(p_chunks) ORDER BY 1);
BEGIN
    PERFORM refresh_context(p_tenant, p_chunks || beside);
    -- each of them, even if no stem changed: an embedding also depends on words without stems
    PERFORM change_context(p_tenant, beside, true);
END $$;
