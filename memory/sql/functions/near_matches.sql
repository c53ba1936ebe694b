-- The chunks beside some chunks in their sessions (turns_beside) that match a question by borrowed words, each with its
-- score. If every chunk that matches by its own words is already known, those are omitted.
CREATE OR REPLACE FUNCTION near_matches(
    p_tenant uuid, p_ids uuid[], q search_question, w term_weights, lane search_lane, f search_filter
) RETURNS SETOF word_match LANGUAGE plpgsql STABLE ROWS 400 AS $$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    RETURN QUERY
    SELECT x.id, x.importance, x.ts, x.score, NULL::bigint
    FROM (SELECT DISTINCT n.id FROM unnest(p_ids) i (id)
          CROSS JOIN LATERAL (
              SELECT c FROM memory_chunk c WHERE c.tenant_id = v_tenant AND c.id = i.id LIMIT 1) k
          CROSS JOIN LATERAL turns_beside(k.c) n) near
    CROSS JOIN LATERAL (
        SELECT y.id, y.importance, y.ts, word_score(y.lex, y.tsv, w) AS score FROM memory_effectivechunk y
        WHERE y.tenant_id = v_tenant AND y.id = near.id AND is_found(y, f)
          AND (numnode(q.required) = 0 OR y.tsv @@ q.required)
          AND (lane.estimate IS NOT NULL OR NOT y.tsv @@ q.matching) LIMIT 1) x
    WHERE x.score > 0;
END $$;
