-- The chunks that match a question by their own words, found as choose_lane says: the best p_most of them, all if it is
-- NULL, each with its score and the number of matches. A chunk may occur twice.
CREATE OR REPLACE FUNCTION word_matches(
    p_tenant uuid, q search_question, w term_weights, lane search_lane, f search_filter, p_most int
) RETURNS SETOF word_match LANGUAGE plpgsql STABLE ROWS 1000 AS $$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    IF num_nonnulls(lane.narrow, lane.terms, lane.since) = 0 THEN RETURN; END IF;
    RETURN QUERY
    WITH found AS MATERIALIZED (
        SELECT x.id, x.importance, x.ts, word_score(x.lex, x.tsv, w) AS score
        FROM narrow_chunks(v_tenant, lane.narrow, f) x WHERE lane.narrow IS NOT NULL AND x.tsv @@ q.matching
        UNION ALL
        SELECT t.chunk_id, t.importance, t.ts, t.score FROM term_matches(v_tenant, q, w, lane.terms, f) t
        UNION ALL
        SELECT n.chunk_id, n.importance, n.ts, n.score FROM newest_matches(v_tenant, q, w, lane, f) n
        WHERE lane.since IS NOT NULL
    )
    SELECT m.id, m.importance, m.ts, m.score, (SELECT count(*) FROM found) FROM found m
    ORDER BY m.score DESC, m.importance DESC, m.ts DESC, m.id DESC LIMIT p_most;
END $$;
