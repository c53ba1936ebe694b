-- What search finds a text by. A search vector holds a megabyte; of a text with more words than that (one "word" of a
-- million characters between commas, say) its beginning is found.
CREATE OR REPLACE FUNCTION text_vector(p_text text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE taken int := length(p_text);
BEGIN
    IF octet_length(p_text) < 100000 THEN RETURN to_tsvector('english', p_text); END IF;  -- always fits
    LOOP
        BEGIN
            RETURN to_tsvector('english', left(p_text, taken));
        EXCEPTION WHEN program_limit_exceeded THEN
            taken := taken / 2;
        END;
    END LOOP;
END $$;

ALTER FUNCTION text_vector OWNER TO suture_gate;
