-- The search vector of a text. A search vector holds at most a megabyte; for a text with more words than that (such as
-- one "word" of a million characters between commas), it holds the beginning.
CREATE OR REPLACE FUNCTION text_vector(p_text text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE taken int := length(p_text);
BEGIN
    IF octet_length(p_text) < 100000 THEN RETURN to_tsvector('english', p_text); END IF;  -- this always fits
    LOOP
        BEGIN
            RETURN to_tsvector('english', left(p_text, taken));
        EXCEPTION WHEN program_limit_exceeded THEN
            taken := taken / 2;
        END;
    END LOOP;
END $$;

ALTER FUNCTION text_vector OWNER TO suture_gate;
