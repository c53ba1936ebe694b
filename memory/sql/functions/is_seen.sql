-- Whether a reader gets a chunk: why_hidden is NULL. Inlined into every query below, so that the partial indexes serve:
-- the first two conditions are theirs, which the planner does not find within the third. A CASE, since the planner takes
-- what IS NULL for one row in 200 where it has no statistics, and would sort rather than walk an index.
CREATE OR REPLACE FUNCTION is_seen(
    x memory_effectivechunk, p_listening text[], p_sensitivities text[], p_include_quarantined boolean
) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT NOT x.is_retracted AND x.superseded_by IS NULL
       AND CASE WHEN why_chunk_hidden(x, p_listening, p_sensitivities, p_include_quarantined) IS NULL
           THEN true ELSE false END
$$;

ALTER FUNCTION is_seen OWNER TO suture_gate;
