-- The search vector of a text. A search vector holds at most a megabyte; for a text with more words than that (such as
-- one "word" of a million characters between commas), it holds the beginning.
CREATE OR REPLACE FUNCTION text_vector(p_text text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    parsable text := parsable_text(p_text);
    taken int := length(parsable);
BEGIN
    IF octet_length(parsable) < 100000 THEN RETURN to_tsvector('english', parsable); END IF;  -- this always fits
    LOOP
        BEGIN
            RETURN to_tsvector('english', left(parsable, taken));
        EXCEPTION WHEN program_limit_exceeded THEN
            taken := taken / 2;
        END;
    END LOOP;
END $$;

ALTER FUNCTION text_vector OWNER TO suture_gate;
