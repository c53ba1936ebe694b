-- Terms that every match of a query needs: its words, without excluded ones and without the order in phrases. Rows
-- found by them must still match the query itself.
CREATE OR REPLACE FUNCTION word_query(p_tenant uuid, q tsquery) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE
PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE needed text := querytree(q);
BEGIN
    IF needed IN ('T', '') THEN RETURN term_query(p_tenant, ''); END IF;  -- the query only excludes words
    RETURN (
        SELECT string_agg(CASE
            WHEN part.word IS NULL THEN regexp_replace(part.between, '<(-|[0-9]+)>', '&', 'g')
            ELSE term_query(p_tenant, replace(replace(part.word, '''''', ''''), '\\', '\'))::text
            END, '' ORDER BY part.place)
        FROM (SELECT m[1] AS word, m[2] AS between, place
              FROM regexp_matches(needed, '''((?:[^'']|'''')*)''|([^'']+)', 'g') WITH ORDINALITY AS r (m, place)) part
    )::tsquery || term_query(p_tenant, ' many words');
END $$;
