-- How many of the chunks with an audience that a reader hears there are, and how many of them each term query matches. It
-- counts all of up to about 2,000 in the tenant; otherwise it estimates from a sample of one in 64 or 512.
CREATE OR REPLACE FUNCTION count_heard_terms(
    p_tenant uuid, p_queries tsquery[], f search_filter, OUT total bigint, OUT dfs bigint[]
) LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_tenant uuid := p_tenant;
    one_in int;
    sample tsquery;
    texts tsvector[];
BEGIN
    FOREACH one_in IN ARRAY ARRAY[512, 64] LOOP
        sample := term_query(p_tenant, ' one in ' || one_in);
        SELECT count(*), array_agg(x.tsv) FILTER (WHERE is_seen(x, f.listening, f.reader, false)) INTO total, texts
        FROM memory_effectivechunk x
        WHERE has_terms(x, v_tenant, sample) AND x.audience IS NOT NULL
          AND NOT x.is_retracted AND x.superseded_by IS NULL;  -- as in the partial index
        EXIT WHEN total >= 32;
    END LOOP;
    IF total < 32 THEN
        one_in := 1;
        texts := ARRAY(
            SELECT x.tsv FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant AND x.audience IS NOT NULL AND is_seen(x, f.listening, f.reader, false));
    END IF;
    total := one_in * coalesce(cardinality(texts), 0);
    dfs := ARRAY(
        SELECT one_in * (SELECT count(*) FROM unnest(texts) t (tsv) WHERE t.tsv @@ q.query)
        FROM unnest(p_queries) WITH ORDINALITY q (query, place) ORDER BY q.place);
END $$;
