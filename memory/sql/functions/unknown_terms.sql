-- The words among the terms of a query that no chunk contains which the reader gets in any of its channels, each with up to
-- 20 words with the same beginning that a chunk does contain which counts for the reader's labels (is_counted).
-- memory/queries/known_words.py chooses among them by spelling. The statistics lag (count_terms), and know nothing that
-- has an audience, so a word that they have fewer than 100 times is looked up, in up to 2,000 chunks that have it: a word
-- that was hidden since is unknown at once.
CREATE OR REPLACE FUNCTION unknown_terms(p_tenant uuid, p_terms text[], p_reader reader) RETURNS TABLE (word text, known text[])
LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_tenant uuid := p_tenant;
    v_labels text[] := p_reader.labels;
BEGIN
    -- nothing is known before the first count (count_terms)
    IF (SELECT t.dfs FROM memory_term t WHERE t.tenant_id = v_tenant LIMIT 1) IS NULL THEN RETURN; END IF;
    RETURN QUERY
    SELECT u.term, ARRAY(
        SELECT n.term FROM (
            SELECT t.term, count_heard(t.dfs, v_labels) AS df FROM memory_term t
            WHERE t.tenant_id = v_tenant AND left(t.term, 1) = left(u.term, 1)
              AND abs(length(t.term) - length(u.term)) <= 4 AND similarity(t.term, u.term) >= 0.25
              AND count_heard(t.dfs, v_labels) > 0
            ORDER BY similarity(t.term, u.term) DESC, t.term LIMIT 20) n
        WHERE n.df >= 100 OR probed_df(v_tenant, n.term, v_labels) > 0
        ORDER BY similarity(n.term, u.term) DESC, n.term)
    FROM (SELECT x FROM unnest(p_terms) x WHERE length(x) BETWEEN 4 AND 32 AND x !~ '[0-9]'
          -- one by one: as a join, it read all words of the tenant for every search
          AND coalesce((SELECT count_heard(t.dfs, v_labels) FROM memory_term t
                        WHERE t.tenant_id = v_tenant AND t.term = x LIMIT 1), 0) < 100
          LIMIT 5) u (term)
    WHERE NOT EXISTS (
        SELECT FROM (
            SELECT x FROM memory_effectivechunk x
            WHERE has_terms(x, v_tenant, term_query(v_tenant, u.term)) AND NOT x.is_retracted AND x.superseded_by IS NULL
            LIMIT 2000) n (x)
        WHERE is_seen(n.x, '{private,public,team,agent}', p_reader, false) AND (n.x).channel = ANY (v_labels));
END $$;
