-- The search vector of a text in a language (search_language): its words, with positions, and without positions their
-- variants, the parts of identifiers and single Chinese characters. A search vector holds at most a megabyte; for a text
-- with more words than that (such as one "word" of a million characters between commas), it holds the beginning.
CREATE OR REPLACE FUNCTION text_vector(p_language regconfig, p_text text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE
PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    plain text := word_text(p_text);
    taken int := length(plain);
    others text;
BEGIN
    LOOP
        others := concat_ws(' ', word_variants(plain), identifier_parts(plain), single_characters(plain));
        IF octet_length(plain) < 50000 AND p_language <> 'simple'::regconfig THEN  -- this always fits
            RETURN word_vector(p_language, plain, others);
        END IF;
        BEGIN
            RETURN word_vector(p_language, plain, others);
        EXCEPTION WHEN program_limit_exceeded THEN
            taken := taken / 2;
            plain := left(plain, taken);
        END;
    END LOOP;
END $$;
