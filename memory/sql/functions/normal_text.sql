-- What a text says, to compare it with another: its words and symbols in lower case with single spaces. A text without
-- any is compared by its characters.
CREATE OR REPLACE FUNCTION normal_text(p_text text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT coalesce(
        nullif(btrim(regexp_replace(translate(marked_words(p_text), E'\x01\x02', '  '), ' +', ' ', 'g')), ''),
        btrim(regexp_replace(plain_form(p_text), '[ \t-\r\x01\x02]+', ' ', 'g')))
$$;
