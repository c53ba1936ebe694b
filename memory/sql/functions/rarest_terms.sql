-- The index terms by which a search finds its candidates, if reading every match of every term would take too long: the
-- rarest terms, as long as they are in no more than p_budget chunks together, as one query; of the others, up to three
-- pairs of the four rarest, each a query of its own, as long as they should be in no more than p_budget chunks. In one
-- query, the index would walk through every chunk of every word of a pair. Terms are left out, never chunks: what a
-- reader may not see takes no place of what they may. p_share is the part of the tenant's chunks that the filters leave.
-- `expected`: in about how many chunks they are, if words stood beside one another by chance. Both NULL if each term is too
-- common.
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
