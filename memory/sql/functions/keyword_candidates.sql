-- The ids of the chunks that a reader gets for a full-text query, best first; chunk_rows returns their rows.
-- `match_count` is how many match in all, `following` how many of the ranked ones follow p_after_id, a chunk of the
-- same search with its score, importance and time; without it, all. p_channels limits the search to chunks of those
-- channels.
--
-- Ranking every match is slow for a common term, so there are two rankings: `exact` ranks every match; `windowed` ranks
-- about the newest 2,000 matches and estimates the total. Two samples of the tenant's chunks, one in 512 and one in 64,
-- decide which one applies, so that the search reads little more than it ranks, however common the term is and wherever
-- in time its matches lie:
--   0. A subject has fewer than 2,000 chunks: search them all, without a sample.
--   1. Fewer than 4 matches in the smaller sample or than 32 in the larger: there are at most about 2,000 matches. Rank
--      all of them.
--   2. 32 or more in a sample: from then on, look only at chunks as new as the 32nd newest of them.
--   3. Rank the chunks as new as the 32nd newest of the larger sample, found by their spans of time. If one shortest
--      span (68 minutes) holds far more matches, as after an import, walk that span from its end.
-- The beginnings of words (search_query) have their own path, because the index is slow to find a beginning that many
-- words share: 440 ms for one in a quarter of 1,000,000 chunks, found like other words (measured).
--
-- Only functions of the gate call it. They set plan_cache_mode to force_generic_plan, because planning costs more than
-- finding a rare term; setting it here too would only cost time.
CREATE OR REPLACE FUNCTION keyword_candidates(
    p_tenant uuid, p_query text, p_listening text[], p_sensitivities text[], p_channels text[],
    p_include_quarantined boolean, p_scope text, p_subject_type text, p_subject_id text, p_project_id text,
    p_session_id text, p_limit int, p_after_score real DEFAULT NULL, p_after_importance numeric DEFAULT NULL,
    p_after_ts timestamptz DEFAULT NULL, p_after_id uuid DEFAULT NULL
) RETURNS TABLE (chunk_id uuid, score real, match_count bigint, ranking text, following bigint)
LANGUAGE plpgsql STABLE ROWS 10 AS $$
DECLARE
    v_tenant uuid := p_tenant;
    q tsquery;
    filters tsquery;
    terms tsquery;       -- the words and the filters of the search
    nearer tsquery;      -- the terms, narrowed for one step
    sample timestamptz[];
    one_in int;
    sampled int;
    estimate bigint;
    is_narrow boolean := false;  -- whether the subject has few chunks
    has_beginnings boolean;      -- whether the query has words that end in a star
    looked_at bigint;
    since timestamptz;
    span bigint;         -- the shortest span of time that `since` is in
    newest_span bigint;
    is_crowded boolean;  -- whether to walk that span
BEGIN
    q := search_query(p_query);
    IF numnode(q) = 0 THEN RETURN; END IF;  -- only stop words
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
        -- For a beginning, the index reads the list of every word with it, so read the smaller sample instead.
        nearer := CASE WHEN has_beginnings AND one_in = 512 THEN filters ELSE terms END
            && term_query(v_tenant, ' one in ' || one_in);
        -- the lists of spans that cover most of memory are longer than the sample
        IF sampled >= 128 THEN nearer := nearer && time_query(v_tenant, span, newest_span); END IF;
        SELECT array_agg(x.ts ORDER BY x.ts DESC) FILTER (WHERE x.tsv @@ q), count(*) INTO sample, looked_at
        FROM memory_effectivechunk x
        WHERE has_terms(x, v_tenant, nearer) AND (has_beginnings OR x.tsv @@ q)
          AND (since IS NULL OR x.ts >= since)
          AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined)
          AND is_about(x, p_channels, p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id);
        sampled := coalesce(cardinality(sample), 0);
        EXIT WHEN sampled < 4;
        IF has_beginnings AND one_in = 512 AND sampled * 10 >= looked_at THEN
            -- in a tenth of all chunks or more: read the new chunks instead of using the index
            terms := CASE WHEN numnode(filters) > 0 THEN filters ELSE term_query(v_tenant, '') END;
        END IF;
        IF since IS NULL THEN estimate := sampled * one_in; END IF;
        IF sampled >= 32 THEN
            -- for a common beginning rank half as many: each match is found by reading other chunks too
            since := sample[CASE WHEN has_beginnings AND one_in = 64 THEN 16 ELSE 32 END];
            span := time_span(since, 0);
            SELECT time_span(x.ts, 0) INTO newest_span FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant AND NOT x.is_retracted ORDER BY x.ts DESC, x.id DESC LIMIT 1;
        END IF;
    END LOOP;

    IF since IS NULL THEN
        RETURN QUERY
        WITH matched AS MATERIALIZED (
            -- only the columns that decide the order
            SELECT x.id, x.importance, x.ts, ts_rank(x.tsv, q) AS score
            FROM memory_effectivechunk x
            WHERE NOT is_narrow AND has_terms(x, v_tenant, terms) AND x.tsv @@ q
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
            SELECT count(*) AS matches, count(*) FILTER (WHERE p_after_id IS NULL OR (m.score, m.importance, m.ts, m.id)
                < (p_after_score, p_after_importance, p_after_ts, p_after_id)) AS rest FROM matched m
        )
        SELECT h.id, h.score, w.matches, 'exact', w.rest
        FROM (SELECT m.* FROM matched m
              WHERE p_after_id IS NULL OR (m.score, m.importance, m.ts, m.id)
                  < (p_after_score, p_after_importance, p_after_ts, p_after_id)
              ORDER BY m.score DESC, m.importance DESC, m.ts DESC, m.id DESC LIMIT p_limit) h
        CROSS JOIN counted w
        ORDER BY h.score DESC, h.importance DESC, h.ts DESC, h.id DESC;
        RETURN;
    END IF;

    is_crowded := (SELECT count(*) FROM unnest(sample) s WHERE time_span(s, 0) >= span) > 32 + 64;
    LOOP
        -- in a query of its own: otherwise the index would check for every older match whether it is in a span
        nearer := time_query(v_tenant, span + is_crowded::int, newest_span);
        RETURN QUERY
        WITH matched AS MATERIALIZED (
            SELECT x.id, x.importance, x.ts, ts_rank(x.tsv, q) AS score
            FROM memory_effectivechunk x
            WHERE has_terms(x, v_tenant, terms) AND has_terms(x, v_tenant, nearer) AND x.tsv @@ q
              AND x.ts >= since
              AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined)
              AND is_about(x, p_channels, p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id)
            UNION ALL
            (SELECT n.id, n.importance, n.ts, ts_rank(n.tsv, q)
            FROM (
                -- is_seen and is_about need x to be the table's own row: PostgreSQL does not inline them for the row of
                -- a subquery
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
            SELECT count(*) AS matches, count(*) FILTER (WHERE p_after_id IS NULL OR (m.score, m.importance, m.ts, m.id)
                < (p_after_score, p_after_importance, p_after_ts, p_after_id)) AS rest FROM matched m
        )
        SELECT h.id, h.score, greatest(w.matches, estimate), 'windowed', w.rest
        FROM (SELECT m.* FROM matched m
              WHERE p_after_id IS NULL OR (m.score, m.importance, m.ts, m.id)
                  < (p_after_score, p_after_importance, p_after_ts, p_after_id)
              ORDER BY m.score DESC, m.importance DESC, m.ts DESC, m.id DESC LIMIT p_limit) h
        CROSS JOIN counted w
        WHERE w.matches >= p_limit OR NOT is_crowded
        ORDER BY h.score DESC, h.importance DESC, h.ts DESC, h.id DESC;
        EXIT WHEN FOUND OR NOT is_crowded;
        is_crowded := false;  -- the walk found too few matches: take every match of that span
    END LOOP;
END $$;

ALTER FUNCTION keyword_candidates OWNER TO suture_gate;
