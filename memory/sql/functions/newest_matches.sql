-- The matches of a window (window_start), each with its score: looked up by the spans of time since it began. If its
-- oldest span (68 minutes) alone holds far more matches, as after an import, its newest 20,000 chunks are walked instead;
-- if these have fewer than 200 matches, all of the span are taken after all.
CREATE OR REPLACE FUNCTION newest_matches(
    p_tenant uuid, q search_question, w term_weights, lane search_lane, f search_filter
) RETURNS SETOF word_match LANGUAGE plpgsql STABLE ROWS 1000 AS $$
DECLARE
    v_tenant uuid := p_tenant;
    span bigint := time_span(lane.since, 0);
    newest_span bigint;
    spans tsquery;
    walked bigint := 0;
BEGIN
    SELECT time_span(x.ts, 0) INTO newest_span FROM memory_effectivechunk x
    WHERE x.tenant_id = v_tenant AND NOT x.is_retracted ORDER BY x.ts DESC, x.id DESC LIMIT 1;
    IF lane.is_crowded THEN
        RETURN QUERY
        SELECT n.id, n.importance, n.ts, n.score, NULL::bigint FROM (
            -- is_found needs x to be the table's own row: PostgreSQL does not inline it for the row of a subquery
            SELECT x.id, x.importance, x.ts, x.tsv @@ q.matching AND is_found(x, f) AS is_hit,
                CASE WHEN x.tsv @@ q.matching THEN word_score(x.lex, x.tsv, w) END AS score
            FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant AND NOT x.is_retracted AND x.ts >= lane.since
              AND x.ts < to_timestamp((span + 1) * 4096)
            ORDER BY x.ts DESC, x.id DESC LIMIT 20000
        ) n WHERE n.is_hit LIMIT 2048;
        GET DIAGNOSTICS walked = ROW_COUNT;
    END IF;
    -- the time is a condition of its own: together, the index would check for every older match whether it is in a span
    spans := time_query(v_tenant, span + (walked >= 200)::int, newest_span);
    RETURN QUERY
    SELECT x.id, x.importance, x.ts, word_score(x.lex, x.tsv, w), NULL::bigint
    FROM memory_effectivechunk x
    WHERE has_terms(x, v_tenant, lane.newest) AND has_terms(x, v_tenant, spans) AND x.ts >= lane.since
      AND x.tsv @@ q.matching AND is_found(x, f);
END $$;
