-- The index terms by which a search finds its candidates, if reading every match of every term would take too long: the
-- rarest terms as one query, while they occur in at most p_budget chunks together; and up to three pairs of the four
-- rarest others, each as a separate query, while each pair should occur in at most p_budget chunks. In one query, the
-- index would walk through every chunk of every word of a pair. Terms are omitted, never chunks: memory that a reader
-- may not see displaces nothing that they may see. p_share is the share of the tenant's chunks that pass the filters.
-- `expected`: the approximate number of chunks, if words were independent. Both NULL if each term is too common.
CREATE OR REPLACE FUNCTION rarest_terms(
    p_tenant uuid, w term_weights, p_share float8, p_budget int, OUT queries tsquery[], OUT expected float8
) LANGUAGE sql STABLE AS $$
    WITH term AS (
        SELECT u.term, u.df * p_share AS df, sum(u.df * p_share) OVER (ORDER BY u.df, u.term) AS upto,
            row_number() OVER (ORDER BY u.df, u.term) AS place
        FROM unnest((w).terms, (w).dfs) u (term, df) WHERE u.df > 0
    ), common AS (
        SELECT t.* FROM term t WHERE t.upto > p_budget ORDER BY t.place LIMIT 4
    ), pair AS (
        SELECT a.term AS one, b.term AS other, a.df * b.df / ((w).total * p_share) AS df,
            sum(a.df * b.df / ((w).total * p_share)) OVER (ORDER BY a.df * b.df, a.term, b.term) AS upto
        FROM common a JOIN common b ON a.place < b.place
    ), chosen AS (
        SELECT string_agg(term_query(p_tenant, t.term)::text, ' | ')::tsquery AS query, sum(t.df) AS df, 0 AS upto
        FROM term t WHERE t.upto <= p_budget HAVING count(*) > 0
        UNION ALL
        (SELECT term_query(p_tenant, p.one) && term_query(p_tenant, p.other), p.df, p.upto FROM pair p
         WHERE p.upto <= p_budget ORDER BY p.upto LIMIT 3)
    )
    SELECT array_agg(c.query ORDER BY c.upto), sum(c.df) FROM chosen c
$$;
