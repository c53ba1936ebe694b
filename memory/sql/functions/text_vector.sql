-- The search vector of a text in a language (search_language). A search vector holds at most a megabyte; for a text with
-- more words than that (such as one "word" of a million characters between commas), it holds the beginning. In the
-- language `simple`, for all languages without a PostgreSQL configuration, it also contains trigrams.
CREATE OR REPLACE FUNCTION text_vector(p_language regconfig, p_text text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE
PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    is_simple constant boolean := p_language = 'simple'::regconfig;
    parsable text := parsable_text(CASE WHEN octet_length(p_text) = length(p_text) THEN p_text ELSE spaced_text(p_text) END);
    taken int := length(parsable);
BEGIN
    IF NOT is_simple AND octet_length(parsable) < 100000 THEN  -- this always fits
        RETURN to_tsvector(p_language, parsable);
    END IF;
    LOOP
        BEGIN
            RETURN CASE WHEN is_simple THEN with_trigrams(to_tsvector(p_language, left(parsable, taken)))
                ELSE to_tsvector(p_language, left(parsable, taken)) END;
        EXCEPTION WHEN program_limit_exceeded THEN
            taken := taken / 2;
        END;
    END LOOP;
END $$;
