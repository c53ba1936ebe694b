-- A search vector with the trigrams of its words of 4 letters or more, as `~abc` and without positions: in a language
-- whose word forms PostgreSQL does not know, they match other forms of a word.
CREATE OR REPLACE FUNCTION with_trigrams(p_words tsvector) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT p_words || array_to_tsvector(ARRAY(
        SELECT DISTINCT '~' || substr(w.lexeme, place, 3)
        FROM unnest(p_words) w CROSS JOIN LATERAL generate_series(1, length(w.lexeme) - 2) place
        WHERE length(w.lexeme) BETWEEN 4 AND 40 AND w.lexeme ~ '^[[:alpha:]]+$'))
$$;
