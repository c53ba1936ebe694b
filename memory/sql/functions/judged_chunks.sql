-- The scores of some chunks for a question: `words`, the score of their words, a tenth higher if the question names the
-- speaker; `is_match`, whether they match by their own words; `meaning`, the cosine; and whether they only ask
-- something. Omits chunks that the search may not find.
CREATE OR REPLACE FUNCTION judged_chunks(
    p_tenant uuid, p_ids uuid[], q search_question, w term_weights, f search_filter, m search_meaning
) RETURNS SETOF judged_chunk LANGUAGE plpgsql STABLE ROWS 100 AS $$
DECLARE
    v_tenant uuid := p_tenant;
    named tsquery := coalesce(any_term(q.terms), '');
BEGIN
    RETURN QUERY
    WITH said AS MATERIALIZED (
        SELECT x.*, e.actor_id, coalesce(is_question(span_of(c.body, x.span_start, x.span_end)), false) AS is_question
        FROM (SELECT DISTINCT i.id FROM unnest(p_ids) i (id)) i
        CROSS JOIN LATERAL (
            SELECT y.id, y.importance, y.ts, y.event_id, y.content_id, y.span_start, y.span_end,
                word_score(y.lex, y.tsv, w) AS score, y.tsv @@ q.matching AS is_match
            FROM memory_effectivechunk y
            WHERE y.tenant_id = v_tenant AND y.id = i.id AND is_found(y, f)
              AND (numnode(q.required) = 0 OR y.tsv @@ q.required) LIMIT 1) x
        LEFT JOIN LATERAL (SELECT k.body FROM content_of(v_tenant, x.content_id) k WHERE q.is_open LIMIT 1) c ON true
        LEFT JOIN LATERAL event_of(v_tenant, x.event_id) e ON true
    ), speaker AS MATERIALIZED (  -- few people say much
        SELECT a.actor_id, to_tsvector(q.language, a.actor_id) @@ named AS is_named
        FROM (SELECT DISTINCT s.actor_id FROM said s) a
    )
    SELECT s.id, s.importance, s.ts, s.score * CASE WHEN p.is_named THEN 1.1 ELSE 1 END, s.is_match,
        coalesce(p.is_named, false), meant.score, s.is_question
    FROM said s LEFT JOIN speaker p ON p.actor_id = s.actor_id
    LEFT JOIN semantic_scores(v_tenant, p_ids, m) meant ON meant.chunk_id = s.id;
END $$;
