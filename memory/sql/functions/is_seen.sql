-- Whether a reader gets a chunk: why_hidden is NULL. PostgreSQL inlines it into every query that calls it. The first
-- two conditions repeat those of the partial indexes, which the planner does not recognise within why_hidden. The CASE
-- is for the planner too: without statistics it expects one row in 200 for IS NULL, and would sort instead of walking
-- an index.
CREATE OR REPLACE FUNCTION is_seen(
    x memory_effectivechunk, p_listening text[], p_reader reader, p_include_quarantined boolean
) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT NOT x.is_retracted AND x.superseded_by IS NULL
       AND CASE WHEN why_chunk_hidden(x, p_listening, p_reader, p_include_quarantined) IS NULL
           THEN true ELSE false END
$$;
