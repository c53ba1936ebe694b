-- Search whose cost does not grow with what a query matches: the index holds, beside the words of a chunk, the terms of
-- its filters, of its time and of the samples that it is in, each behind the tenant. One intersection of posting lists
-- answers "the newest matches under these filters", and no list is as long as the tenant is large.

-- What the terms of a tenant's chunks begin with. Two tenants with the same beginning would share lists, not chunks.
CREATE FUNCTION term_prefix(p_tenant uuid) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT right(p_tenant::text, 8)
$$;

-- A term of the index. No word begins with a space, so that the kinds of terms stay apart. Long ones are digested: a
-- search vector holds a megabyte.
CREATE FUNCTION index_term(p_prefix text, p_term text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT p_prefix || CASE WHEN length(p_term) > 32 THEN md5(p_term) ELSE p_term END
$$;

-- The span of time that a moment is in, as a number: 4096 seconds long, each level up 8 times as long.
CREATE FUNCTION time_span(p_ts timestamptz, p_level int) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT floor(extract(epoch FROM p_ts AT TIME ZONE 'UTC') / 4096)::bigint >> 3 * p_level
$$;

-- What the index finds a chunk by:
--   ''                  that it is the tenant's
--   ' time LEVEL SPAN'  its spans of time, levels 0 to 5
--   ' one in N'         that it is in the sample of N = 64 or 512, the latter within the former; by the id's last,
--                       random bits
--   ' scope SCOPE' ...  its filters
--   WORD                each word of its search vector
--   ' many words'       instead of the words, where they are too many for a vector with the tenant before each
CREATE FUNCTION index_terms(
    p_tenant uuid, p_id uuid, p_ts timestamptz, p_channel text, p_scope text, p_subject_type text, p_subject_id text,
    p_project_id text, p_session_id text, p_tsv tsvector
) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    prefix text := term_prefix(p_tenant);
    span bigint := time_span(p_ts, 0);
    chance int := get_byte(uuid_send(p_id), 14) << 8 | get_byte(uuid_send(p_id), 15);
    terms text[] := ARRAY[
        '', ' time 0 ' || span, ' time 1 ' || (span >> 3), ' time 2 ' || (span >> 6), ' time 3 ' || (span >> 9),
        ' time 4 ' || (span >> 12), ' time 5 ' || (span >> 15),
        ' channel ' || p_channel, ' scope ' || p_scope, ' subject_type ' || p_subject_type,
        ' subject_id ' || p_subject_id, ' project_id ' || p_project_id, ' session_id ' || p_session_id,
        CASE WHEN chance % 64 = 0 THEN ' one in 64' END, CASE WHEN chance % 512 = 0 THEN ' one in 512' END,
        CASE WHEN length(p_tsv) > 7000 THEN ' many words' END];
BEGIN
    IF length(p_tsv) <= 7000 THEN terms := terms || tsvector_to_array(p_tsv); END IF;
    RETURN array_to_tsvector(ARRAY(SELECT index_term(prefix, t) FROM unnest(terms) t WHERE t IS NOT NULL));
END $$;

-- The same of a row, inlined.
CREATE FUNCTION terms_of(x memory_effectivechunk) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT index_terms(x.tenant_id, x.id, x.ts, x.channel, x.scope, x.subject_type, x.subject_id, x.project_id,
        x.session_id, x.tsv)
$$;

-- A query's text for one term, or for any of several.
CREATE FUNCTION term_query(p_tenant uuid, VARIADIC p_terms text[]) RETURNS tsquery LANGUAGE sql IMMUTABLE
PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT string_agg(
        format($q$'%s'$q$, replace(replace(index_term(term_prefix(p_tenant), t), '\', '\\'), '''', '''''')), '|')::tsquery
    FROM unnest(p_terms) t
$$;

-- Terms without which nothing matches a query: its words, leaving out what it excludes and the order within phrases.
-- What is found by them has yet to match the query itself.
CREATE FUNCTION word_query(p_tenant uuid, q tsquery) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE
PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE needed text := querytree(q);
BEGIN
    IF needed IN ('T', '') THEN RETURN term_query(p_tenant, ''); END IF;  -- it only excludes
    RETURN (
        SELECT string_agg(CASE
            WHEN part.word IS NULL THEN regexp_replace(part.between, '<(-|[0-9]+)>', '&', 'g')
            ELSE term_query(p_tenant, replace(replace(part.word, '''''', ''''), '\\', '\'))::text
            END, '' ORDER BY part.place)
        FROM (SELECT m[1] AS word, m[2] AS between, place
              FROM regexp_matches(needed, '''((?:[^'']|'''')*)''|([^'']+)', 'g') WITH ORDINALITY AS r (m, place)) part
    )::tsquery || term_query(p_tenant, ' many words');
END $$;

-- The spans of time from one shortest span to another: few rather than exact, up to an eighth too many before the
-- first, since each is a list to merge.
CREATE FUNCTION time_query(p_tenant uuid, p_from bigint, p_until bigint) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE
PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    span bigint := p_from;
    level int := 0;
    terms text[] := '{}';
BEGIN
    WHILE span <= p_until >> 3 * level LOOP
        IF level < 5 AND (span % 8 = 0 OR (p_until - p_from) >> 3 * level >= 64) THEN
            span := span >> 3; level := level + 1;
        ELSE
            terms := terms || format(' time %s %s', level, span);
            span := span + 1;
        END IF;
    END LOOP;
    RETURN term_query(p_tenant, VARIADIC terms);
END $$;

-- 55 s and 216 MB per 1,000,000 chunks of 50 words, a fifth more than the words alone (measured).
CREATE INDEX effective_chunk_terms ON memory_effectivechunk USING gin (
    index_terms(tenant_id, id, ts, channel, scope, subject_type, subject_id, project_id, session_id, tsv)
) WITH (gin_pending_list_limit = 256) WHERE NOT is_retracted AND superseded_by IS NULL;
DROP INDEX effective_chunk_tsv;

-- The terms of a search's filters; one that is NULL is not asked for. The index narrows by them, is_about decides: a
-- scope or a kind of subject beside a narrower filter would be one more long list to read, and is left out.
CREATE FUNCTION filter_query(
    p_tenant uuid, p_channels text[], p_scope text, p_subject_type text, p_subject_id text, p_project_id text,
    p_session_id text
) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    q tsquery := '';
    filter text;
BEGIN
    FOREACH filter IN ARRAY array_remove(ARRAY[
        CASE WHEN num_nonnulls(p_subject_id, p_project_id, p_session_id) = 0 THEN ' scope ' || p_scope END,
        CASE WHEN num_nonnulls(p_subject_id, p_project_id, p_session_id) = 0
             THEN ' subject_type ' || p_subject_type END,
        ' subject_id ' || p_subject_id, ' project_id ' || p_project_id, ' session_id ' || p_session_id], NULL)
    LOOP
        q := q && term_query(p_tenant, filter);
    END LOOP;
    IF cardinality(p_channels) < 4 THEN
        q := q && term_query(p_tenant, VARIADIC ARRAY(SELECT ' channel ' || c FROM unnest(p_channels) c));
    END IF;
    RETURN q;
END $$;

SELECT governance_hand_to_gate(ARRAY[
    'term_prefix(uuid)', 'index_term(text,text)', 'time_span(timestamptz,int)',
    'index_terms(uuid,uuid,timestamptz,text,text,text,text,text,text,tsvector)', 'terms_of(memory_effectivechunk)',
    'term_query(uuid,text[])', 'word_query(uuid,tsquery)', 'time_query(uuid,bigint,bigint)',
    'filter_query(uuid,text[],text,text,text,text,text)'
]::regprocedure[]);

GRANT CREATE ON SCHEMA public TO suture_gate;  -- CREATE OR REPLACE asks it of the functions' owner
SET ROLE suture_gate;
-- the index is the owner's: who makes and analyses it computes its terms
GRANT EXECUTE ON FUNCTION term_prefix(uuid), index_term(text,text), time_span(timestamptz,int),
    index_terms(uuid,uuid,timestamptz,text,text,text,text,text,text,tsvector) TO suture_owner;

-- Full text over effective text, best first. p_channels narrows to chunks of those channels.
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
CREATE OR REPLACE FUNCTION search_chunks(
    p_tenant uuid, p_query text, p_listening text[], p_sensitivities text[], p_channels text[],
    p_include_quarantined boolean, p_scope text, p_subject_type text, p_subject_id text, p_project_id text,
    p_session_id text, p_limit int, p_highlight boolean
) RETURNS TABLE (
    chunk_id uuid, text text, snippet text, importance numeric, ts timestamptz, rank real, edits_applied int,
    is_quarantined boolean, event_id uuid, session_id text, scope text, subject_type text, subject_id text,
    project_id text, channel text, tier text, source text, recorder text, total_count bigint, ranking text
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
-- planning costs more than finding a rare term
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    q tsquery;
    terms tsquery;
    nearer tsquery;      -- what narrows the terms for one step
    sample timestamptz[];
    one_in int;
    sampled int;
    estimate bigint;
    is_narrow boolean := false;  -- whether the subject has few chunks
    since timestamptz;
    span bigint;         -- the shortest span of time that `since` is in
    newest_span bigint;
    is_crowded boolean;  -- whether that span is walked
BEGIN
    PERFORM require_tenant(p_tenant);
    BEGIN
        q := websearch_to_tsquery('english', p_query);
    EXCEPTION WHEN internal_error THEN
        -- a ruled line, say: more than 32 minus signs in a row are too many for PostgreSQL; then the words alone
        q := plainto_tsquery('english', p_query);
    END;
    IF numnode(q) = 0 THEN RETURN; END IF;  -- only stop words: nothing to look for
    terms := word_query(v_tenant, q) && filter_query(v_tenant, p_channels, p_scope, p_subject_type, p_subject_id,
        p_project_id, p_session_id);

    IF num_nonnulls(p_subject_type, p_subject_id) = 2 THEN
        is_narrow := (SELECT count(*) FROM (
            SELECT FROM memory_effectivechunk x WHERE x.tenant_id = v_tenant AND x.subject_type = p_subject_type
              AND x.subject_id = p_subject_id AND NOT x.is_retracted LIMIT 2000) n) < 2000;
    END IF;
    FOREACH one_in IN ARRAY ARRAY[512, 64] LOOP
        EXIT WHEN is_narrow;
        nearer := terms && term_query(v_tenant, ' one in ' || one_in);
        -- the spans of most of memory are longer lists than the sample
        IF sampled >= 128 THEN nearer := nearer && time_query(v_tenant, span, newest_span); END IF;
        SELECT array_agg(x.ts ORDER BY x.ts DESC) INTO sample FROM memory_effectivechunk x
        WHERE x.tenant_id = v_tenant AND terms_of(x) @@ nearer AND x.tsv @@ q
          AND (since IS NULL OR x.ts >= since)
          AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined)
          AND is_about(x, p_channels, p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id);
        sampled := coalesce(cardinality(sample), 0);
        EXIT WHEN sampled < 4;
        IF since IS NULL THEN estimate := sampled * one_in; END IF;
        IF sampled >= 32 THEN
            since := sample[32];
            span := time_span(since, 0);
            SELECT time_span(x.ts, 0) INTO newest_span FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant AND NOT x.is_retracted ORDER BY x.ts DESC, x.id DESC LIMIT 1;
        END IF;
    END LOOP;

    IF since IS NULL THEN
        RETURN QUERY
        WITH matched AS MATERIALIZED (
            -- without the search vector, which is most of a row
            SELECT x.id, x.content_id, x.span_start, x.span_end, x.importance, x.ts, x.edits_applied, x.is_quarantined,
                x.event_id, x.session_id, x.scope, x.subject_type, x.subject_id, x.project_id, x.channel, x.tier,
                x.source, x.recorder, ts_rank(x.tsv, q) AS score
            FROM memory_effectivechunk x
            WHERE NOT is_narrow AND x.tenant_id = v_tenant AND terms_of(x) @@ terms AND x.tsv @@ q
              AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined)
              AND is_about(x, p_channels, p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id)
            UNION ALL
            SELECT x.id, x.content_id, x.span_start, x.span_end, x.importance, x.ts, x.edits_applied, x.is_quarantined,
                x.event_id, x.session_id, x.scope, x.subject_type, x.subject_id, x.project_id, x.channel, x.tier,
                x.source, x.recorder, ts_rank(x.tsv, q)
            FROM memory_effectivechunk x
            WHERE is_narrow AND x.tenant_id = v_tenant AND x.subject_type = p_subject_type
              AND x.subject_id = p_subject_id AND x.tsv @@ q
              AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined)
              AND is_about(x, p_channels, p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id)
        ), counted AS MATERIALIZED (
            SELECT count(*) AS matches FROM matched
        )
        SELECT h.id, t.body, highlighted(t.body, q, p_highlight), h.importance, h.ts, h.score, h.edits_applied,
            h.is_quarantined, h.event_id, h.session_id, h.scope, h.subject_type, h.subject_id, h.project_id, h.channel,
            h.tier, h.source, h.recorder, w.matches, 'exact'
        FROM (SELECT m.* FROM matched m ORDER BY m.score DESC, m.importance DESC, m.ts DESC, m.id DESC LIMIT p_limit) h
        CROSS JOIN counted w
        JOIN governance_content c ON c.tenant_id = v_tenant AND c.id = h.content_id
        CROSS JOIN LATERAL (SELECT span_of(c.body, h.span_start, h.span_end) AS body) t
        ORDER BY h.score DESC, h.importance DESC, h.ts DESC, h.id DESC;
        RETURN;
    END IF;

    is_crowded := (SELECT count(*) FROM unnest(sample) s WHERE time_span(s, 0) >= span) > 32 + 64;
    LOOP
        -- a condition of its own: within one query the index would ask of every older match whether it is in a span
        nearer := time_query(v_tenant, span + is_crowded::int, newest_span);
        RETURN QUERY
        WITH matched AS MATERIALIZED (
            SELECT x.id, x.content_id, x.span_start, x.span_end, x.importance, x.ts, x.edits_applied, x.is_quarantined,
                x.event_id, x.session_id, x.scope, x.subject_type, x.subject_id, x.project_id, x.channel, x.tier,
                x.source, x.recorder, ts_rank(x.tsv, q) AS score
            FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant AND terms_of(x) @@ terms AND terms_of(x) @@ nearer AND x.tsv @@ q
              AND x.ts >= since
              AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined)
              AND is_about(x, p_channels, p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id)
            UNION ALL
            (SELECT n.id, n.content_id, n.span_start, n.span_end, n.importance, n.ts, n.edits_applied,
                n.is_quarantined, n.event_id, n.session_id, n.scope, n.subject_type, n.subject_id, n.project_id,
                n.channel, n.tier, n.source, n.recorder, ts_rank(n.tsv, q)
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
        SELECT h.id, t.body, highlighted(t.body, q, p_highlight), h.importance, h.ts, h.score, h.edits_applied,
            h.is_quarantined, h.event_id, h.session_id, h.scope, h.subject_type, h.subject_id, h.project_id, h.channel,
            h.tier, h.source, h.recorder, greatest(w.matches, estimate), 'windowed'
        FROM (SELECT m.* FROM matched m ORDER BY m.score DESC, m.importance DESC, m.ts DESC, m.id DESC LIMIT p_limit) h
        CROSS JOIN counted w
        JOIN governance_content c ON c.tenant_id = v_tenant AND c.id = h.content_id
        CROSS JOIN LATERAL (SELECT span_of(c.body, h.span_start, h.span_end) AS body) t
        WHERE w.matches >= p_limit OR NOT is_crowded
        ORDER BY h.score DESC, h.importance DESC, h.ts DESC, h.id DESC;
        EXIT WHEN FOUND OR NOT is_crowded;
        is_crowded := false;  -- the walk met too few: every match of that span
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
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    centre timestamptz;
    reach interval := make_interval(secs => p_window_seconds);
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT x.ts INTO centre FROM memory_effectivechunk x
    WHERE x.tenant_id = v_tenant AND x.id = p_around
      AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined);
    IF NOT FOUND THEN RETURN; END IF;
    RETURN QUERY
    SELECT h.id, span_of(c.body, h.span_start, h.span_end), h.importance, h.ts,
        round(extract(epoch FROM h.ts - centre))::int, h.edits_applied, h.is_quarantined, h.event_id, h.session_id,
        h.scope, h.subject_type, h.subject_id, h.project_id, h.channel, h.tier, h.source, h.recorder, centre
    FROM (
        SELECT n.* FROM (
            (SELECT x.id, x.content_id, x.span_start, x.span_end, x.importance, x.ts, x.edits_applied,
                x.is_quarantined, x.event_id, x.session_id, x.scope, x.subject_type, x.subject_id, x.project_id,
                x.channel, x.tier, x.source, x.recorder
             FROM memory_effectivechunk x
             WHERE x.tenant_id = v_tenant AND x.ts >= centre AND x.ts <= centre + reach
               AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined)
               AND (x.channel = ANY (p_channels) OR x.id = p_around)
             ORDER BY x.ts, x.id LIMIT p_limit)
            UNION ALL
            (SELECT x.id, x.content_id, x.span_start, x.span_end, x.importance, x.ts, x.edits_applied,
                x.is_quarantined, x.event_id, x.session_id, x.scope, x.subject_type, x.subject_id, x.project_id,
                x.channel, x.tier, x.source, x.recorder
             FROM memory_effectivechunk x
             WHERE x.tenant_id = v_tenant AND x.ts < centre AND x.ts >= centre - reach
               AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined) AND x.channel = ANY (p_channels)
             ORDER BY x.ts DESC, x.id DESC LIMIT p_limit)
        ) n
        ORDER BY (n.id = p_around) DESC, abs(extract(epoch FROM n.ts - centre)), n.ts, n.id LIMIT p_limit
    ) h
    JOIN governance_content c ON c.tenant_id = v_tenant AND c.id = h.content_id
    ORDER BY (h.id = p_around) DESC, abs(extract(epoch FROM h.ts - centre)), h.ts, h.id;
END $$;

-- as in 0005, but that a phrase is found by the index's terms
CREATE OR REPLACE FUNCTION match_chunks(
    p_tenant uuid, p_recorder text, p_scope text, p_subject_type text, p_subject_id text, p_project_id text,
    p_session_id text, p_channel text, p_since timestamptz, p_until timestamptz, p_phrase text, p_until_id uuid,
    p_listening text[], p_sensitivities text[], p_limit int
) RETURNS TABLE (chunk_id uuid) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    q tsquery := phraseto_tsquery('english', p_phrase);
    terms tsquery := word_query(p_tenant, q);
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
      AND (p_phrase IS NULL OR terms_of(x) @@ terms AND x.tsv @@ q)
      AND (p_listening IS NULL OR x.channel = ANY (p_listening) AND NOT x.blocked_channels && p_listening)
      AND (p_sensitivities IS NULL OR x.sensitivity = ANY (p_sensitivities))
    ORDER BY x.id LIMIT p_limit;
END $$;

DROP FUNCTION about_how_many(uuid);
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM suture_gate;
