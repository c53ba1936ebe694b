-- The chunks that have index terms and match a question by their own words, each with its score: one lookup for each of
-- p_queries, because a join with all of them may read every chunk of the tenant instead of the index.
CREATE OR REPLACE FUNCTION term_matches(
    p_tenant uuid, q search_question, w term_weights, p_queries tsquery[], f search_filter
) RETURNS SETOF word_match LANGUAGE plpgsql STABLE ROWS 1000 AS $$
DECLARE
    v_tenant uuid := p_tenant;
    terms tsquery;
BEGIN
    FOREACH terms IN ARRAY coalesce(p_queries, '{}') LOOP
        RETURN QUERY
        SELECT x.id, x.importance, x.ts, word_score(x.lex, x.tsv, w), NULL::bigint FROM memory_effectivechunk x
        WHERE has_terms(x, v_tenant, terms) AND x.tsv @@ q.matching AND is_found(x, f);
    END LOOP;
END $$;
