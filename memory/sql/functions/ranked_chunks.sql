-- The chunks that a reader gets for a question, best first: the one ranking behind searches and context bundles.
--   1. Find the chunks that match by their own words (word_matches), and for a question in plain words also those that
--      the best of them lend words to (near_matches).
--   2. Find the chunks nearest in meaning, if the question has a vector (semantic_candidates).
--   3. Judge the best of both lists by everything: words, meaning, who speaks (judged_chunks).
--   4. The rank, from 0 to 1, is (1 - alpha) * words + alpha * meaning. `words` are relative to the best of the answer, so
--      that a rank does not tell how rare a word is; a chunk without a vector yet counts half as much by meaning as by
--      words. If the question is one in plain words, chunks that only ask something have a tenth less.
--   5. Leave out what says the same as a better result (memory_duplicate), unless p_collapse is false. Each result has the
--      ids of those among the ranked ones; hidden chunks are not ranked.
-- Matches beyond the best 64 keep the rank of their words only. `scale` is the reference of `words`: a page uses that
-- of the previous page, p_after, and leaves out what earlier pages have shown, because ranks move. `match_count` is the
-- number of all matches, `following` the number of ranked ones that were not shown.
--
-- Only functions of the gate call it. They set plan_cache_mode to force_generic_plan, because planning costs more than
-- finding a rare term; setting it here too would only cost time.
CREATE OR REPLACE FUNCTION ranked_chunks(
    p_tenant uuid, q search_question, f search_filter, m search_meaning, p_collapse boolean, p_limit int, p_after search_place
) RETURNS SETOF ranked_chunk LANGUAGE plpgsql STABLE ROWS 10 AS $$
DECLARE
    least_alike constant real := 0.25;  -- a cosine below it is chance, for chunks without a word of the question
    v_tenant uuid := p_tenant;
    narrow text;
    w term_weights;
    lane search_lane;
    alpha real := CASE WHEN m.vector IS NULL OR m.mode = 'keyword' THEN 0 WHEN m.mode = 'semantic' THEN 1
        ELSE coalesce(m.alpha, (SELECT t.hybrid_alpha FROM governance_tenant t WHERE t.id = p_tenant)) END;
    best constant int := 64;  -- how many of each list are judged by everything
    asking real := CASE WHEN q.is_open THEN 0.1 ELSE 0 END;
    heaviest float8;  -- all terms of the question together
BEGIN
    IF numnode(q.matching) = 0 AND alpha = 0 THEN RETURN; END IF;  -- only stop words
    narrow := narrow_filter(p_tenant, f);
    w := term_weights_of(p_tenant, q, narrow, f);
    heaviest := coalesce((SELECT sum(idf) FROM unnest(w.idfs) idf), 1);
    IF alpha < 1 AND numnode(q.matching) > 0 THEN lane := choose_lane(p_tenant, q, w, narrow, f); END IF;
    RETURN QUERY
    WITH matched AS MATERIALIZED (  -- those that are not judged are ordered by score: a first page needs few
        SELECT * FROM word_matches(v_tenant, q, w, lane, f, CASE WHEN p_after.shown IS NULL THEN p_limit + 100 + best END)
    ), lent AS MATERIALIZED (
        SELECT n.* FROM near_matches(v_tenant, ARRAY(
            SELECT b.chunk_id FROM matched b
            ORDER BY b.score DESC, b.importance DESC, b.ts DESC, b.chunk_id DESC LIMIT best), q, w, lane, f) n
        WHERE q.is_open
    ), worded AS MATERIALIZED (
        SELECT e.chunk_id, max(e.importance) AS importance, max(e.ts) AS ts, max(e.score) AS score
        FROM (SELECT * FROM matched UNION ALL SELECT * FROM lent) e GROUP BY e.chunk_id
    ), meant AS MATERIALIZED (
        SELECT s.chunk_id
        FROM semantic_candidates(v_tenant, CASE WHEN alpha > 0 THEN m.vector END, m.model, f,
            CASE WHEN alpha = 1 THEN 200 ELSE best END * CASE WHEN numnode(q.required) = 0 THEN 1 ELSE 4 END) s
        WHERE alpha = 1 OR s.score >= least_alike
        ORDER BY s.score DESC LIMIT CASE WHEN alpha = 1 THEN 800 ELSE best END
    ), judged AS MATERIALIZED (
        SELECT * FROM judged_chunks(v_tenant, ARRAY(
            SELECT b.chunk_id FROM worded b
            ORDER BY b.score DESC, b.importance DESC, b.ts DESC, b.chunk_id DESC LIMIT best)
            || ARRAY(SELECT s.chunk_id FROM meant s), q, w, f, m)
    ), candidate AS MATERIALIZED (
        SELECT j.chunk_id, j.importance, j.ts, j.words, j.is_named, j.meaning, j.is_question FROM judged j
        UNION ALL
        SELECT o.chunk_id, o.importance, o.ts, o.score, false, NULL, true FROM worded o
        WHERE NOT EXISTS (SELECT FROM judged j WHERE j.chunk_id = o.chunk_id)
    ), scaled AS MATERIALIZED (
        SELECT coalesce(p_after.scale, max(c.words) / heaviest) AS scale FROM candidate c
    ), ranked AS MATERIALIZED (
        SELECT c.chunk_id, r.rank, c.importance, c.ts, r.words, c.meaning, c.is_named, c.is_question
        FROM candidate c CROSS JOIN scaled s
        CROSS JOIN LATERAL rank_of(c.words, c.meaning, c.is_question, s.scale * heaviest, alpha, asking) r
    ), fresh AS MATERIALIZED (
        SELECT r.* FROM ranked r
        WHERE NOT EXISTS (SELECT FROM unnest(p_after.shown) s (key) WHERE s.key = shown_key(r.chunk_id))
    ), counted AS MATERIALIZED (
        SELECT every.matches, CASE WHEN p_after.shown IS NULL THEN every.matches
            ELSE (SELECT count(*) FROM fresh) END AS rest
        FROM (SELECT coalesce((SELECT b.matches FROM matched b LIMIT 1), 0) + (SELECT count(*) FROM lent)
            + (SELECT count(*) FROM judged j WHERE NOT (j.is_match AND alpha < 1)
               AND NOT EXISTS (SELECT FROM lent l WHERE l.chunk_id = j.chunk_id)) AS matches) every
    ), nearest AS MATERIALIZED (  -- up to the page: more than it needs, as some may be omitted
        SELECT r.* FROM fresh r
        ORDER BY r.rank DESC, r.importance DESC, r.ts DESC, r.chunk_id DESC LIMIT p_limit + 100
    ), twin AS MATERIALIZED (
        SELECT a.chunk_id, array_agg(d.id ORDER BY d.id) AS same,
            p_collapse AND bool_or((b.rank, b.importance, b.ts, b.chunk_id) > (a.rank, a.importance, a.ts, a.chunk_id)
                OR NOT EXISTS (SELECT FROM fresh c WHERE c.chunk_id = b.chunk_id)) AS is_left_out
        FROM nearest a CROSS JOIN LATERAL duplicates_of(v_tenant, a.chunk_id) d (id)
        LEFT JOIN ranked b ON b.chunk_id = d.id
        WHERE b.chunk_id IS NOT NULL OR EXISTS (
            SELECT FROM memory_effectivechunk y WHERE y.tenant_id = v_tenant AND y.id = d.id AND is_found(y, f)
              AND y.tsv @@ q.matching AND alpha < 1)
        GROUP BY a.chunk_id
    )
    SELECT h.chunk_id, h.rank, h.words, h.meaning, h.is_named, h.is_question, alpha, asking, s.scale,
        greatest(n.matches, lane.estimate), CASE WHEN lane.estimate IS NULL THEN 'exact' ELSE 'windowed' END,
        n.rest - (SELECT count(*) FROM twin t WHERE t.is_left_out), coalesce(t.same, '{}')
    FROM nearest h LEFT JOIN twin t ON t.chunk_id = h.chunk_id
    CROSS JOIN scaled s CROSS JOIN counted n
    WHERE t.is_left_out IS NOT TRUE
    ORDER BY h.rank DESC, h.importance DESC, h.ts DESC, h.chunk_id DESC LIMIT p_limit;
END $$;
