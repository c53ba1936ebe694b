-- The window of a common condition: the time from which its newest matches are ranked, about 2,048 of them; an estimate of
-- all; the index terms that find them; and whether the oldest time span of the window (68 minutes) alone contains far
-- more. All NULL if there are not many more than that. It uses a sample: one chunk in 512 of large memory, otherwise one
-- in 64, chosen by the ids' random bits, so neither the age of the matches nor other tenants distort it. p_filters are
-- the index terms of the filters, p_terms those of the condition too.
CREATE OR REPLACE FUNCTION window_start(
    p_tenant uuid, q search_question, f search_filter, p_terms tsquery, p_filters tsquery, p_total bigint,
    OUT since timestamptz, OUT estimate bigint, OUT terms tsquery, OUT is_crowded boolean
) LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_tenant uuid := p_tenant;
    has_beginnings boolean := position(''':*' IN q.matching::text) > 0;
    wanted constant int := 2048;
    one_in int := CASE WHEN p_total < 100000 THEN 64 ELSE 512 END;
    -- The index is slow to find a beginning that many words share (440 ms for one in a quarter of 1,000,000 chunks): look
    -- through the sample itself instead, and through all new chunks if a tenth has such a word
    wide tsquery := CASE WHEN numnode(p_filters) > 0 THEN p_filters ELSE term_query(p_tenant, '') END;
    nearer tsquery := CASE WHEN has_beginnings THEN wide ELSE p_terms END && term_query(p_tenant, ' one in ' || one_in);
    sample timestamptz[];
    looked_at bigint;
BEGIN
    SELECT array_agg(x.ts ORDER BY x.ts DESC) FILTER (WHERE x.tsv @@ q.matching), count(*) INTO sample, looked_at
    FROM memory_effectivechunk x
    WHERE has_terms(x, v_tenant, nearer) AND (has_beginnings OR x.tsv @@ q.matching) AND is_found(x, f);
    IF cardinality(sample) >= wanted / one_in THEN
        since := sample[wanted / one_in];
        estimate := cardinality(sample) * one_in;
        is_crowded := (SELECT count(*) FROM unnest(sample) s WHERE time_span(s, 0) >= time_span(since, 0))
            > 3 * wanted / one_in;
        terms := CASE WHEN has_beginnings AND cardinality(sample) * 10 >= looked_at THEN wide ELSE p_terms END;
    END IF;
END $$;
