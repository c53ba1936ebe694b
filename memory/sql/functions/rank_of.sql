-- The rank of a chunk, from 0 to 1 (ranked_chunks), and its words relative to the best. Rounded, so that the order of
-- equal chunks does not depend on the last digits of a sum; without numeric, which takes most of the time for 2,000
-- chunks. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION rank_of(
    p_words float8, p_meaning real, p_is_question boolean, p_best float8, p_alpha real, p_asking real
) RETURNS TABLE (words real, rank real) LANGUAGE sql IMMUTABLE ROWS 1 PARALLEL SAFE AS $$
    SELECT r.words, (round((p_alpha * greatest(coalesce(p_meaning, r.words / 2), 0) + (1 - p_alpha) * r.words
        + CASE WHEN p_is_question THEN 0 ELSE p_asking END) / (1 + p_asking) * 1e6::float8) / 1e6::float8)::real
    FROM (SELECT CASE WHEN p_best > 0 THEN (p_words / p_best)::real ELSE 0 END AS words) r
$$;
