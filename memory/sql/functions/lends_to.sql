-- Whether a chunk n lends its words to its neighbour k, so that a search for them finds k: only if everyone who may see
-- k may see n. This is the only definition (why_hidden says who sees what); lex_of_chunks and everything else derived
-- from a chunk with its neighbours uses it. Memory that expires lends nothing. p_blocked are the channels in which k is
-- blocked, p_audience its audience. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION lends_to(
    n memory_effectivechunk, k memory_chunk, p_blocked text[], p_audience int[]
) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT NOT n.is_retracted AND n.superseded_by IS NULL AND NOT n.is_quarantined AND n.expires_at IS NULL
       AND n.blocked_channels <@ p_blocked AND (n.audience IS NULL OR coalesce(n.audience <@ p_audience, false))
       AND could_lend_to(n, k)
$$;
