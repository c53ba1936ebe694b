-- The words among the terms of a query that no chunk of the tenant contains, each with up to 20 words with the same
-- beginning that the tenant's memory does contain. memory/queries/known_words.py chooses among them by spelling. They
-- may be words of hidden chunks, so no answer shows them: they only find chunks that the reader may see anyway.
CREATE OR REPLACE FUNCTION unknown_terms(p_tenant uuid, p_terms text[]) RETURNS TABLE (word text, known text[])
LANGUAGE plpgsql STABLE AS $$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    -- nothing is known before the first count (count_terms)
    IF (SELECT t.df FROM memory_term t WHERE t.tenant_id = v_tenant LIMIT 1) IS NULL THEN RETURN; END IF;
    RETURN QUERY
    SELECT u.term, ARRAY(
        SELECT t.term FROM memory_term t
        WHERE t.tenant_id = v_tenant AND left(t.term, 1) = left(u.term, 1)
          AND abs(length(t.term) - length(u.term)) <= 4 AND similarity(t.term, u.term) >= 0.25
        ORDER BY similarity(t.term, u.term) DESC, t.term LIMIT 20)
    FROM (SELECT x FROM unnest(p_terms) x WHERE length(x) BETWEEN 4 AND 32 AND x !~ '[0-9]'
          -- one by one: as a join, it read all words of the tenant for every search
          AND (SELECT t.df FROM memory_term t WHERE t.tenant_id = v_tenant AND t.term = x LIMIT 1) IS NULL
          LIMIT 5) u (term)
    WHERE probed_df(v_tenant, u.term) = 0;
END $$;
