-- The chunks that a reader gets for a full-text query, best first, by their ids: chunk_rows has their rows. `match_count`
-- is how many match in all, `ranking` the lane. p_channels narrows to chunks of those channels.
--
-- Ranking every match costs what a term is common, so there are two lanes: `exact` ranks every match; `windowed` ranks
-- the newest matches, about 2,000, and estimates the total. Which one is told by samples of the tenant's chunks, one in
-- 512 and one in 64, so that little more is read than is ranked, whatever the term's share and wherever in time its
-- matches lie:
--   0. A subject of fewer than 2,000 chunks: those are looked through, without a sample.
--   1. Fewer than 4 matches in the smaller sample or than 32 in the larger: there are about 2,000 matches at most, and
--      every one is ranked.
--   2. 32 or more in a sample: only what is as new as the 32nd newest of them is looked at from then on.
--   3. What is as new as the 32nd newest of the larger sample is ranked: found by the spans of time that it lies in.
--      Where one shortest span (68 minutes) holds far more of it, as after an import, that is walked from its end.
-- The beginnings of words (search_query) are found in a lane of their own, since the index is slow to find one that many
-- words have: 440 ms for one in a quarter of 1,000,000 chunks, found as other words are (measured).
--
-- Its callers are the gate's own. They set plan_cache_mode to force_generic_plan: planning costs more than finding a rare
-- term; here it would be set a second time.
CREATE OR REPLACE FUNCTION keyword_candidates(
    p_tenant uuid, p_query text, p_listening text[], p_sensitivities text[], p_channels text[],
    p_include_quarantined boolean, p_scope text, p_subject_type text, p_subject_id text, p_project_id text,
    p_session_id text, p_limit int
) RETURNS TABLE (chunk_id uuid, score real, match_count bigint, ranking text)
LANGUAGE plpgsql STABLE ROWS 10 AS $$
DECLARE
    v_tenant uuid := p_tenant;
    q tsquery;
    filters tsquery;
    terms tsquery;       -- its words and its filters
    nearer tsquery;      -- what narrows the terms for one step
    sample timestamptz[];
    one_in int;
    sampled int;
    estimate bigint;
    is_narrow boolean := false;  -- whether the subject has few chunks
    has_beginnings boolean;      -- whether it has words that end in a star
    looked_at bigint;
    since timestamptz;
    span bigint;         -- the shortest span of time that `since` is in
    newest_span bigint;
    is_crowded boolean;  -- whether that span is walked
BEGIN
    q := search_query(p_query);
    IF numnode(q) = 0 THEN RETURN; END IF;  -- only stop words: nothing to look for
    has_beginnings := position(''':*' IN q::text) > 0;
    filters := filter_query(v_tenant, p_channels, p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id);
    terms := word_query(v_tenant, q) && filters;

    IF num_nonnulls(p_subject_type, p_subject_id) = 2 THEN
        is_narrow := (SELECT count(*) FROM (
            SELECT FROM memory_effectivechunk x WHERE x.tenant_id = v_tenant AND x.subject_type = p_subject_type
              AND x.subject_id = p_subject_id AND NOT x.is_retracted LIMIT 2000) n) < 2000;
    END IF;
    FOREACH one_in IN ARRAY ARRAY[512, 64] LOOP
        EXIT WHEN is_narrow;
        -- The index reads of a beginning every list of every word that begins so: the smaller sample is looked through.
        nearer := CASE WHEN has_beginnings AND one_in = 512 THEN filters ELSE terms END
            && term_query(v_tenant, ' one in ' || one_in);
        -- the spans of most of memory are longer lists than the sample
        IF sampled >= 128 THEN nearer := nearer && time_query(v_tenant, span, newest_span); END IF;
        SELECT array_agg(x.ts ORDER BY x.ts DESC) FILTER (WHERE x.tsv @@ q), count(*) INTO sample, looked_at
        FROM memory_effectivechunk x
        WHERE x.tenant_id = v_tenant AND terms_of(x) @@ nearer AND (has_beginnings OR x.tsv @@ q)
          AND (since IS NULL OR x.ts >= since)
          AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined)
          AND is_about(x, p_channels, p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id);
        sampled := coalesce(cardinality(sample), 0);
        EXIT WHEN sampled < 4;
        IF has_beginnings AND one_in = 512 AND sampled * 10 >= looked_at THEN
            -- in a tenth of all and more: what is new enough is looked through rather than looked up
            terms := CASE WHEN numnode(filters) > 0 THEN filters ELSE term_query(v_tenant, '') END;
        END IF;
        IF since IS NULL THEN estimate := sampled * one_in; END IF;
        IF sampled >= 32 THEN
            -- of a common beginning half as many are ranked: each is found among others that are looked through
            since := sample[CASE WHEN has_beginnings AND one_in = 64 THEN 16 ELSE 32 END];
            span := time_span(since, 0);
            SELECT time_span(x.ts, 0) INTO newest_span FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant AND NOT x.is_retracted ORDER BY x.ts DESC, x.id DESC LIMIT 1;
        END IF;
    END LOOP;

    IF since IS NULL THEN
        RETURN QUERY
        WITH matched AS MATERIALIZED (
            -- what decides the order, no more
            SELECT x.id, x.importance, x.ts, ts_rank(x.tsv, q) AS score
            FROM memory_effectivechunk x
            WHERE NOT is_narrow AND x.tenant_id = v_tenant AND terms_of(x) @@ terms AND x.tsv @@ q
              AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined)
              AND is_about(x, p_channels, p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id)
            UNION ALL
            SELECT x.id, x.importance, x.ts, ts_rank(x.tsv, q)
            FROM memory_effectivechunk x
            WHERE is_narrow AND x.tenant_id = v_tenant AND x.subject_type = p_subject_type
              AND x.subject_id = p_subject_id AND x.tsv @@ q
              AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined)
              AND is_about(x, p_channels, p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id)
        ), counted AS MATERIALIZED (
            SELECT count(*) AS matches FROM matched
        )
        SELECT h.id, h.score, w.matches, 'exact'
        FROM (SELECT m.* FROM matched m ORDER BY m.score DESC, m.importance DESC, m.ts DESC, m.id DESC LIMIT p_limit) h
        CROSS JOIN counted w
        ORDER BY h.score DESC, h.importance DESC, h.ts DESC, h.id DESC;
        RETURN;
    END IF;

    is_crowded := (SELECT count(*) FROM unnest(sample) s WHERE time_span(s, 0) >= span) > 32 + 64;
    LOOP
        -- a condition of its own: within one query the index would ask of every older match whether it is in a span
        nearer := time_query(v_tenant, span + is_crowded::int, newest_span);
        RETURN QUERY
        WITH matched AS MATERIALIZED (
            SELECT x.id, x.importance, x.ts, ts_rank(x.tsv, q) AS score
            FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant AND terms_of(x) @@ terms AND terms_of(x) @@ nearer AND x.tsv @@ q
              AND x.ts >= since
              AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined)
              AND is_about(x, p_channels, p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id)
            UNION ALL
            (SELECT n.id, n.importance, n.ts, ts_rank(n.tsv, q)
            FROM (
                -- is_seen and is_about are asked where x is the table's own row: of a subquery's they would not be
                -- inlined
                SELECT x.*, x.tsv @@ q AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined)
                    AND is_about(x, p_channels, p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id)
                    AS hit
                FROM memory_effectivechunk x
                WHERE is_crowded AND x.tenant_id = v_tenant AND NOT x.is_retracted AND x.ts >= since
                  AND x.ts < to_timestamp((span + 1) * 4096)
                ORDER BY x.ts DESC, x.id DESC LIMIT 20000
            ) n
            WHERE n.hit LIMIT 2000)
        ), counted AS MATERIALIZED (
            SELECT count(*) AS matches FROM matched
        )
        SELECT h.id, h.score, greatest(w.matches, estimate), 'windowed'
        FROM (SELECT m.* FROM matched m ORDER BY m.score DESC, m.importance DESC, m.ts DESC, m.id DESC LIMIT p_limit) h
        CROSS JOIN counted w
        WHERE w.matches >= p_limit OR NOT is_crowded
        ORDER BY h.score DESC, h.importance DESC, h.ts DESC, h.id DESC;
        EXIT WHEN FOUND OR NOT is_crowded;
        is_crowded := false;  -- the walk met too few: every match of that span
    END LOOP;
END $$;

ALTER FUNCTION keyword_candidates OWNER TO suture_gate;
