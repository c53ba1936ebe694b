-- A condition in websearch syntax. A word of 3 to 32 letters and digits that ends in a star stands for every word with that
-- beginning, also in a phrase and after a minus sign. The index holds stems, so both the typed beginning and its stem
-- are looked up.
CREATE OR REPLACE FUNCTION search_query(p_language regconfig, p_query text) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    starred constant text := '(?<![^[:space:]"])(-?)([[:alnum:]_]{3,32})[*](?![^[:space:]"])';
    -- stands for the star: letters and digits that the parser keeps whole and no dictionary stems
    place constant text := 'sutureprefix';
    plain text := spaced_text(p_query);
    prefixes text[] := '{}';
    word text;
    prefix tsquery;
    stem tsquery;
    q tsquery;
BEGIN
    LOOP
        word := (regexp_match(plain, starred))[2];
        EXIT WHEN word IS NULL;
        prefixes := prefixes || lower(word);
        plain := regexp_replace(plain, starred, '\1' || place || cardinality(prefixes));
    END LOOP;
    BEGIN
        q := websearch_to_tsquery(p_language, plain);
    EXCEPTION WHEN internal_error THEN
        -- PostgreSQL fails on more than 32 minus signs in a row, such as a ruled line: use the words alone
        q := plainto_tsquery(p_language, plain);
    END;
    FOR i IN 1 .. cardinality(prefixes) LOOP
        prefix := to_tsquery('simple', prefixes[i] || ':*');
        stem := to_tsquery(p_language, prefixes[i] || ':*');
        q := ts_rewrite(q, (place || i)::tsquery, CASE WHEN numnode(stem) = 0 THEN prefix ELSE prefix || stem END);
    END LOOP;
    RETURN q;
END $$;
