-- How much each stem of one field of a chunk counts: p_weight n / (1 - b + b length / 20), with n how often it occurs, b
-- 0.75 and length the number of stems in the field. p_nearest limits the field to its words nearest to the chunk: the
-- last so many or, if negative, the first; 0 takes all. Stems without a position are the trigrams of text_vector: each
-- counts a third of a word, adds nothing to the length, and is not lent. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION field_terms(p_vector tsvector, p_weight float8, p_nearest int)
RETURNS TABLE (term text, tf float8) LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT f.lexeme, p_weight * f.n / (0.25 + 0.75 * coalesce(sum(f.n) FILTER (WHERE f.is_word) OVER (), 0) / 20)
    FROM (
        SELECT w.lexeme, w.positions IS NOT NULL AS is_word, CASE
            WHEN p_nearest = 0 THEN coalesce(cardinality(w.positions), 1 / 3.0::float8)
            -- nearly every stem: without a subquery, which would cost more than all the rest
            WHEN cardinality(w.positions) = 1 THEN (w.positions[1] BETWEEN w.first AND w.last)::int
            ELSE (SELECT count(*) FROM unnest(w.positions) p WHERE p BETWEEN w.first AND w.last) END AS n
        FROM (
            SELECT v.lexeme, v.positions, CASE WHEN p_nearest > 0
                THEN max(v.positions[cardinality(v.positions)]) OVER () - p_nearest + 1 ELSE 0 END AS first,
                CASE WHEN p_nearest < 0 THEN -p_nearest ELSE 16383 END AS last
            FROM unnest(p_vector) v) w
    ) f WHERE f.n > 0
$$;

ALTER FUNCTION field_terms OWNER TO suture_gate;
