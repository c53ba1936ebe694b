-- The index terms by which a search finds its candidates, if reading every match of every term would take too long: the
-- rarest terms, as long as they are in no more than p_budget chunks together; of the others, pairs of the four rarest,
-- as long as they should be in no more than p_budget chunks. NULL if each is too common. Terms are left out, never
-- chunks: what a reader may not see takes no place of what they may. p_share is the part of the tenant's chunks that
-- the filters leave.
CREATE OR REPLACE FUNCTION rarest_terms(p_tenant uuid, w term_weights, p_share float8, p_budget int) RETURNS tsquery
LANGUAGE sql STABLE AS $$
    WITH term AS (
        SELECT u.term, u.df * p_share AS df, sum(u.df * p_share) OVER (ORDER BY u.df, u.term) AS upto,
            row_number() OVER (ORDER BY u.df, u.term) AS place
        FROM unnest((w).terms, (w).dfs) u (term, df) WHERE u.df > 0
    ), common AS (
        SELECT t.* FROM term t WHERE t.upto > p_budget ORDER BY t.place LIMIT 4
    ), pair AS (
        SELECT a.term AS one, b.term AS other,
            sum(a.df * b.df / ((w).total * p_share)) OVER (ORDER BY a.df * b.df, a.term, b.term) AS upto
        FROM common a JOIN common b ON a.place < b.place
    ), chosen AS (
        SELECT term_query(p_tenant, t.term)::text AS terms FROM term t WHERE t.upto <= p_budget
        UNION ALL
        SELECT format('(%s & %s)', term_query(p_tenant, p.one), term_query(p_tenant, p.other)) FROM pair p
        WHERE p.upto <= p_budget
    )
    SELECT string_agg(c.terms, ' | ')::tsquery FROM chosen c
$$;

ALTER FUNCTION rarest_terms OWNER TO suture_gate;
