-- The search vector of a text in normal form (word_text) and, without positions, of other words that find it. In the language
-- `simple`, for all languages without a PostgreSQL configuration, also of the trigrams of its words.
CREATE OR REPLACE FUNCTION word_vector(p_language regconfig, p_plain text, p_other text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT CASE WHEN p_language = 'simple'::regconfig THEN with_trigrams(w) ELSE w END
        || strip(to_tsvector(p_language, parsable_text(p_other)))
    FROM to_tsvector(p_language, parsable_text(spaced_text(p_plain))) w
$$;
