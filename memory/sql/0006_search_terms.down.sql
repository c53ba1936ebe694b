-- full text within one tenant, whatever the others hold. A small pending list: at the default of 4 MB a search
-- after some thousand inserts scanned it all and took 2.5 times as long (measured).
CREATE INDEX effective_chunk_tsv ON memory_effectivechunk USING gin (tenant_id, tsv)
    WITH (gin_pending_list_limit = 256) WHERE NOT is_retracted AND superseded_by IS NULL;

GRANT CREATE ON SCHEMA public TO suture_gate;  -- CREATE OR REPLACE asks it of the functions' owner
SET ROLE suture_gate;
-- How many chunks a tenant has, as the planner sees it: to say about how many a share of them is.
CREATE FUNCTION about_how_many(p_tenant uuid) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE plan json;
BEGIN
    EXECUTE format('EXPLAIN (FORMAT JSON) SELECT 1 FROM memory_effectivechunk '
        'WHERE tenant_id = %L AND NOT is_retracted', p_tenant) INTO plan;
    RETURN (plan -> 0 -> 'Plan' ->> 'Plan Rows')::numeric::bigint;
END $$;
REVOKE EXECUTE ON FUNCTION about_how_many(uuid) FROM PUBLIC;

-- Full text over effective text, best first. p_channels narrows to chunks of those channels.
--
-- Ranking every match of a common term costs what the term is common (over half a second at 1,000,000 chunks), so
-- there are two lanes: `exact` ranks every match; `windowed` ranks the newest matches, up to 2,000 of those among the
-- newest 20,000 chunks, and estimates the total from their share. Which one:
--   1. Fewer than 2 matches among the newest 50 chunks: every match is ranked if there are up to 5,000.
--   2. Otherwise, if their share makes more than 10,000 matches in the tenant: the window, unless it holds fewer
--      matches than asked for.
--   3. Otherwise every match is ranked.
-- is_seen and is_about are asked where x is the table's own row: of a subquery's row they would not be inlined.
CREATE OR REPLACE FUNCTION search_chunks(
    p_tenant uuid, p_query text, p_listening text[], p_sensitivities text[], p_channels text[],
    p_include_quarantined boolean, p_scope text, p_subject_type text, p_subject_id text, p_project_id text,
    p_session_id text, p_limit int, p_highlight boolean
) RETURNS TABLE (
    chunk_id uuid, text text, snippet text, importance numeric, ts timestamptz, rank real, edits_applied int,
    is_quarantined boolean, event_id uuid, session_id text, scope text, subject_type text, subject_id text,
    project_id text, channel text, tier text, source text, recorder text, total_count bigint, ranking text
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
-- Planning costs more than finding a rare term: without a filter the plans are made once. With one they are made for
-- its values, so that filters not given disappear from them; the setting ends with the function.
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    q tsquery;
    common bigint;
    chunks bigint;
    bound int := 5001;
BEGIN
    PERFORM require_tenant(p_tenant);
    BEGIN
        q := websearch_to_tsquery('english', p_query);
    EXCEPTION WHEN internal_error THEN
        -- a ruled line, say: more than 32 minus signs in a row are too many for PostgreSQL; then the words alone
        q := plainto_tsquery('english', p_query);
    END;
    IF numnode(q) = 0 THEN RETURN; END IF;  -- only stop words: nothing to look for
    IF num_nonnulls(p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id) > 0 THEN
        PERFORM set_config('plan_cache_mode', 'force_custom_plan', true);
    END IF;
    SELECT count(*) FILTER (WHERE n.hit) INTO common FROM (
        SELECT x.tsv @@ q AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined)
            AND is_about(x, p_channels, p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id) AS hit
        FROM memory_effectivechunk x WHERE x.tenant_id = v_tenant AND NOT x.is_retracted
        ORDER BY x.ts DESC, x.id DESC LIMIT 50
    ) n;
    LOOP
        IF common >= 2 OR bound IS NULL THEN chunks := about_how_many(v_tenant); END IF;
        IF common * chunks / 50 > 10000 OR bound IS NULL AND chunks > 200000 THEN
            RETURN QUERY
            WITH matched AS MATERIALIZED (
                SELECT n.id, n.content_id, n.span_start, n.span_end, n.importance, n.ts, n.edits_applied,
                    n.is_quarantined, n.event_id, n.session_id, n.scope, n.subject_type, n.subject_id, n.project_id,
                    n.channel, n.tier, n.source, n.recorder, ts_rank(n.tsv, q) AS score
                FROM (
                    SELECT x.id, x.content_id, x.span_start, x.span_end, x.importance, x.ts, x.edits_applied,
                        x.is_quarantined, x.event_id, x.session_id, x.scope, x.subject_type, x.subject_id,
                        x.project_id, x.channel, x.tier, x.source, x.recorder, x.tsv, x.tsv @@ q
                        AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined)
                        AND is_about(x, p_channels, p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id)
                        AS hit
                    FROM memory_effectivechunk x WHERE x.tenant_id = v_tenant AND NOT x.is_retracted
                    ORDER BY x.ts DESC, x.id DESC LIMIT 20000
                ) n
                WHERE n.hit
                LIMIT 2000
            ), counted AS MATERIALIZED (
                SELECT count(*) AS found FROM matched
            )
            SELECT h.id, t.body, highlighted(t.body, q, p_highlight), h.importance, h.ts, h.score, h.edits_applied,
                h.is_quarantined, h.event_id, h.session_id, h.scope, h.subject_type, h.subject_id, h.project_id,
                h.channel, h.tier, h.source, h.recorder,
                -- a full window was not walked to its end; then the share among the newest 50 tells more
                CASE WHEN w.found < 2000 THEN w.found * chunks / 20000
                     ELSE greatest(w.found, common * chunks / 50) END,
                'windowed'
            FROM (
                SELECT m.* FROM matched m ORDER BY m.score DESC, m.importance DESC, m.ts DESC, m.id DESC LIMIT p_limit
            ) h
            CROSS JOIN counted w
            JOIN governance_content c ON c.tenant_id = v_tenant AND c.id = h.content_id
            CROSS JOIN LATERAL (SELECT span_of(c.body, h.span_start, h.span_end) AS body) t
            WHERE w.found >= p_limit
            ORDER BY h.score DESC, h.importance DESC, h.ts DESC, h.id DESC;
            IF FOUND THEN RETURN; END IF;
            bound := NULL;
        END IF;
        IF common >= 2 THEN bound := NULL; END IF;
        RETURN QUERY
        WITH matched AS MATERIALIZED (
            -- without the search vector, which is most of a row
            SELECT x.id, x.content_id, x.span_start, x.span_end, x.importance, x.ts, x.edits_applied, x.is_quarantined,
                x.event_id, x.session_id, x.scope, x.subject_type, x.subject_id, x.project_id, x.channel, x.tier,
                x.source, x.recorder, ts_rank(x.tsv, q) AS score
            FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant AND x.tsv @@ q
              AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined)
              AND is_about(x, p_channels, p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id)
            LIMIT bound
        ), counted AS MATERIALIZED (
            SELECT count(*) AS found FROM matched
        )
        SELECT h.id, t.body, highlighted(t.body, q, p_highlight), h.importance, h.ts, h.score, h.edits_applied,
            h.is_quarantined, h.event_id, h.session_id, h.scope, h.subject_type, h.subject_id, h.project_id, h.channel,
            h.tier, h.source, h.recorder, w.found, 'exact'
        FROM (SELECT m.* FROM matched m ORDER BY m.score DESC, m.importance DESC, m.ts DESC, m.id DESC LIMIT p_limit) h
        CROSS JOIN counted w
        JOIN governance_content c ON c.tenant_id = v_tenant AND c.id = h.content_id
        CROSS JOIN LATERAL (SELECT span_of(c.body, h.span_start, h.span_end) AS body) t
        WHERE bound IS NULL OR w.found < bound
        ORDER BY h.score DESC, h.importance DESC, h.ts DESC, h.id DESC;
        IF FOUND OR bound IS NULL THEN RETURN; END IF;
        -- none, or more than 5,000 after all
        PERFORM 1 FROM memory_effectivechunk x
        WHERE x.tenant_id = v_tenant AND x.tsv @@ q
          AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined)
          AND is_about(x, p_channels, p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id) LIMIT 1;
        IF NOT FOUND THEN RETURN; END IF;
        bound := NULL;
    END LOOP;
END $$;

-- The chunks around one, nearest in time first. Two bounded walks of the index, not a sort of the whole window.
-- No row at all where the centre itself may not be seen.
CREATE OR REPLACE FUNCTION get_timeline(
    p_tenant uuid, p_around uuid, p_window_seconds int, p_listening text[], p_sensitivities text[],
    p_channels text[], p_include_quarantined boolean, p_limit int
) RETURNS TABLE (
    chunk_id uuid, text text, importance numeric, ts timestamptz, distance_seconds int, edits_applied int,
    is_quarantined boolean, event_id uuid, session_id text, scope text, subject_type text, subject_id text,
    project_id text, channel text, tier text, source text, recorder text, center_ts timestamptz
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    v_tenant uuid := p_tenant;
    centre timestamptz;
    reach interval := make_interval(secs => p_window_seconds);
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT g.ts INTO centre FROM get_chunks(v_tenant, ARRAY[p_around], p_listening, p_sensitivities,
        p_include_quarantined) g;
    IF NOT FOUND THEN RETURN; END IF;
    RETURN QUERY
    SELECT n.id, span_of(c.body, n.span_start, n.span_end), n.importance, n.ts,
        round(extract(epoch FROM n.ts - centre))::int, n.edits_applied, n.is_quarantined, n.event_id, n.session_id,
        n.scope, n.subject_type, n.subject_id, n.project_id, n.channel, n.tier, n.source, n.recorder, centre
    FROM (
        (SELECT x.* FROM memory_effectivechunk x
         WHERE x.tenant_id = v_tenant AND x.ts >= centre AND x.ts <= centre + reach
           AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined)
           AND (x.channel = ANY (p_channels) OR x.id = p_around)
         ORDER BY x.ts, x.id LIMIT p_limit)
        UNION ALL
        (SELECT x.* FROM memory_effectivechunk x
         WHERE x.tenant_id = v_tenant AND x.ts < centre AND x.ts >= centre - reach
           AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined) AND x.channel = ANY (p_channels)
         ORDER BY x.ts DESC, x.id DESC LIMIT p_limit)
    ) n
    JOIN governance_content c ON c.tenant_id = v_tenant AND c.id = n.content_id
    ORDER BY (n.id = p_around) DESC, abs(extract(epoch FROM n.ts - centre)), n.ts, n.id
    LIMIT p_limit;
END $$;

CREATE OR REPLACE FUNCTION match_chunks(
    p_tenant uuid, p_recorder text, p_scope text, p_subject_type text, p_subject_id text, p_project_id text,
    p_session_id text, p_channel text, p_since timestamptz, p_until timestamptz, p_phrase text, p_until_id uuid,
    p_listening text[], p_sensitivities text[], p_limit int
) RETURNS TABLE (chunk_id uuid) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    q tsquery := phraseto_tsquery('english', p_phrase);
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT x.id FROM memory_effectivechunk x
    WHERE x.tenant_id = v_tenant AND NOT x.is_retracted AND x.superseded_by IS NULL AND x.id <= p_until_id
      AND (p_recorder IS NULL OR x.recorder = p_recorder)
      AND (p_scope IS NULL OR x.scope = p_scope)
      AND (p_subject_type IS NULL OR x.subject_type = p_subject_type)
      AND (p_subject_id IS NULL OR x.subject_id = p_subject_id)
      AND (p_project_id IS NULL OR x.project_id = p_project_id)
      AND (p_session_id IS NULL OR x.session_id = p_session_id)
      AND (p_channel IS NULL OR x.channel = p_channel)
      AND (p_since IS NULL OR x.ts >= p_since) AND (p_until IS NULL OR x.ts < p_until)
      AND (p_phrase IS NULL OR x.tsv @@ q)
      AND (p_listening IS NULL OR x.channel = ANY (p_listening) AND NOT x.blocked_channels && p_listening)
      AND (p_sensitivities IS NULL OR x.sensitivity = ANY (p_sensitivities))
    ORDER BY x.id LIMIT p_limit;
END $$;
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM suture_gate;

DROP INDEX effective_chunk_terms;
SET ROLE suture_gate;
DROP FUNCTION filter_query(uuid,text[],text,text,text,text,text);
DROP FUNCTION time_query(uuid,bigint,bigint);
DROP FUNCTION word_query(uuid,tsquery);
DROP FUNCTION term_query(uuid,text[]);
DROP FUNCTION terms_of(memory_effectivechunk);
DROP FUNCTION index_terms(uuid,uuid,timestamptz,text,text,text,text,text,text,tsvector);
DROP FUNCTION time_span(timestamptz,int);
DROP FUNCTION index_term(text,text);
DROP FUNCTION term_prefix(uuid);
RESET ROLE;
