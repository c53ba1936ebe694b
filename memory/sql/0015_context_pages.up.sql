-- What a bundle is packed from, page by page: what may not be seen takes no place of what may, a bundle with room asks
-- for the next page, and the tasks of a session, a subject and a project are found whatever else there is.
--
-- Of each list p_limit rows that may be seen are answered, beyond the first p_offset. `available` is how many there
-- are, counted up to p_beyond beyond the page. The rows that may not be seen (`withheld` says why) are those among the
-- list's first p_offset + p_limit + p_beyond, p_beyond of them at most.

SET ROLE suture_gate;
DROP FUNCTION get_session_window(uuid,text,text[],text[],boolean,int);
DROP FUNCTION get_evidence(uuid,text,text,text,text,text[],text[],boolean,int,int);
DROP FUNCTION get_handoff(uuid,text,text,text,text,text[],text[],boolean,int);
DROP FUNCTION get_context_decisions(uuid,text,text,text,text,text[],text[],boolean,int);
DROP FUNCTION get_active_tasks(uuid,text,text,text,text,text[],text[],boolean,int);
RESET ROLE;

-- The newest chunks of a session.
CREATE FUNCTION get_session_window(
    p_tenant uuid, p_session_id text, p_listening text[], p_sensitivities text[], p_include_quarantined boolean,
    p_offset int, p_limit int, p_beyond int
) RETURNS TABLE (
    chunk_id uuid, withheld text, text text, importance numeric, ts timestamptz, edits_applied int,
    is_quarantined boolean, event_id uuid, session_id text, scope text, subject_type text, subject_id text,
    project_id text, channel text, tier text, source text, recorder text, kind text, actor_type text, actor_id text,
    is_whole boolean, rank real, content_hash text, available int
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    reach int := p_offset + p_limit + p_beyond;
    ids uuid[];
    hidden uuid[];
    met int;
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT array_agg(n.id) FILTER (WHERE n.is_seen), array_agg(n.id) FILTER (WHERE NOT n.is_seen), count(*)
    INTO ids, hidden, met
    FROM (
        SELECT x.id, is_seen(x, p_listening, p_sensitivities, p_include_quarantined) AS is_seen
        FROM memory_effectivechunk x
        WHERE x.tenant_id = v_tenant AND x.session_id = p_session_id
          AND NOT x.is_retracted AND x.superseded_by IS NULL
        ORDER BY x.ts DESC, x.chunk_index DESC, x.id DESC LIMIT reach) n;
    IF met = reach AND hidden IS NOT NULL THEN
        -- hidden ones took places: those that may be seen, alone
        SELECT array_agg(n.id) INTO ids FROM (
            SELECT x.id FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant AND x.session_id = p_session_id
              AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined)
            ORDER BY x.ts DESC, x.chunk_index DESC, x.id DESC LIMIT reach) n;
    END IF;
    RETURN QUERY
    SELECT c.*, coalesce(cardinality(ids), 0)
    FROM context_chunks(v_tenant, ids[p_offset + 1 : p_offset + p_limit] || hidden[: p_beyond], NULL, p_listening,
        p_sensitivities, p_include_quarantined) c;
END $$;

-- What may matter to a query: the best matches and the newest, about the subject, or of the project and about nobody
-- else; with neither named, of all. Visible ones only: to tell of others that match would tell their words. Answered
-- are p_best matches beyond the first p_best_from, and p_newest beyond p_newest_from; `available` is counted up to
-- p_reach, which is no less than p_newest_from + p_newest.
CREATE FUNCTION get_evidence(
    p_tenant uuid, p_query text, p_subject_type text, p_subject_id text, p_project_id text, p_listening text[],
    p_sensitivities text[], p_include_quarantined boolean, p_best_from int, p_best int, p_newest_from int,
    p_newest int, p_reach int
) RETURNS TABLE (
    chunk_id uuid, withheld text, text text, importance numeric, ts timestamptz, edits_applied int,
    is_quarantined boolean, event_id uuid, session_id text, scope text, subject_type text, subject_id text,
    project_id text, channel text, tier text, source text, recorder text, kind text, actor_type text, actor_id text,
    is_whole boolean, rank real, content_hash text, available int
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    channels text[] := ARRAY['private', 'public', 'team', 'agent'];  -- whoever may hear it: not where it was said
    ids uuid[] := '{}';
    ranks real[] := '{}';
    of_subject uuid[];
    of_project uuid[];
    of_all uuid[];
    last int := p_newest_from + p_newest;
BEGIN
    PERFORM require_tenant(p_tenant);
    IF p_query IS NOT NULL AND (p_subject_id IS NOT NULL OR p_project_id IS NULL) THEN
        SELECT array_agg(s.chunk_id), array_agg(s.rank) INTO ids, ranks
        FROM search_chunks(v_tenant, p_query, p_listening, p_sensitivities, channels, p_include_quarantined, NULL,
            p_subject_type, p_subject_id, NULL, NULL, p_best_from + p_best, false) WITH ORDINALITY s
        WHERE s.ordinality > p_best_from;
    END IF;
    IF p_query IS NOT NULL AND p_project_id IS NOT NULL THEN
        SELECT ids || array_agg(s.chunk_id), ranks || array_agg(s.rank) INTO ids, ranks
        FROM search_chunks(v_tenant, p_query, p_listening, p_sensitivities, channels, p_include_quarantined, NULL,
            NULL, NULL, p_project_id, NULL, p_best_from + p_best, false) WITH ORDINALITY s
        WHERE s.ordinality > p_best_from
          AND (s.subject_id IS NULL OR s.subject_type = p_subject_type AND s.subject_id = p_subject_id
               OR p_subject_id IS NULL);
    END IF;
    IF p_subject_id IS NOT NULL THEN
        SELECT array_agg(n.id) INTO of_subject FROM (
            SELECT x.id FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant AND x.subject_type = p_subject_type AND x.subject_id = p_subject_id
              AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined)
            ORDER BY x.ts DESC, x.id DESC LIMIT p_reach) n;
    ELSIF p_project_id IS NULL THEN
        SELECT array_agg(n.id) INTO of_all FROM (
            SELECT x.id FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined)
            ORDER BY x.ts DESC, x.id DESC LIMIT p_reach) n;
    END IF;
    IF p_project_id IS NOT NULL THEN
        SELECT array_agg(n.id) INTO of_project FROM (
            SELECT y.id FROM (
                -- about others can be most of a project: a bounded walk
                SELECT x.id, x.ts, x.subject_id FROM memory_effectivechunk x
                WHERE x.tenant_id = v_tenant AND x.project_id = p_project_id
                  AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined)
                ORDER BY x.ts DESC, x.id DESC LIMIT greatest(4 * last, p_reach)
            ) y
            WHERE p_subject_id IS NULL OR y.subject_id IS NULL
            ORDER BY y.ts DESC, y.id DESC LIMIT p_reach) n;
    END IF;
    SELECT array_agg(f.id), array_agg(f.score) INTO ids, ranks FROM (
        SELECT u.id, max(u.score) AS score FROM (
            SELECT * FROM unnest(ids, ranks)
            UNION ALL
            SELECT m, 0 FROM unnest(of_subject[p_newest_from + 1 : last] || of_project[p_newest_from + 1 : last]
                || of_all[p_newest_from + 1 : last]) m
        ) AS u (id, score) GROUP BY u.id
    ) f;
    RETURN QUERY
    SELECT c.*, coalesce(cardinality(of_subject || of_project || of_all), 0)
    FROM context_chunks(v_tenant, ids, ranks, p_listening, p_sensitivities, p_include_quarantined) c
    WHERE c.withheld IS NULL;
END $$;

-- Summaries that other sessions left about the subject or the project, newest first.
CREATE FUNCTION handoff_ids(
    p_tenant uuid, p_session_id text, p_subject_type text, p_subject_id text, p_project_id text, p_listening text[],
    p_sensitivities text[], p_include_quarantined boolean, p_with_hidden boolean, p_limit int
) RETURNS TABLE (chunk_id uuid, is_hidden boolean) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    RETURN QUERY
    SELECT n.id, NOT n.is_seen FROM (
        (SELECT x.id, x.ts, is_seen(x, p_listening, p_sensitivities, p_include_quarantined) AS is_seen
         FROM memory_effectivechunk x
         WHERE x.tenant_id = v_tenant AND x.subject_type = p_subject_type AND x.subject_id = p_subject_id
           AND x.source = 'summary' AND x.session_id IS DISTINCT FROM p_session_id
           AND NOT x.is_retracted AND x.superseded_by IS NULL
           AND (p_with_hidden OR is_seen(x, p_listening, p_sensitivities, p_include_quarantined))
         ORDER BY x.ts DESC, x.id DESC LIMIT p_limit)
        UNION
        (SELECT x.id, x.ts, is_seen(x, p_listening, p_sensitivities, p_include_quarantined)
         FROM memory_effectivechunk x
         WHERE x.tenant_id = v_tenant AND x.project_id = p_project_id
           AND x.source = 'summary' AND x.session_id IS DISTINCT FROM p_session_id
           AND NOT x.is_retracted AND x.superseded_by IS NULL
           AND (p_subject_id IS NULL OR x.subject_id IS NULL)
           AND (p_with_hidden OR is_seen(x, p_listening, p_sensitivities, p_include_quarantined))
         ORDER BY x.ts DESC, x.id DESC LIMIT p_limit)
    ) n
    ORDER BY n.ts DESC, n.id DESC LIMIT p_limit;
END $$;

CREATE FUNCTION get_handoff(
    p_tenant uuid, p_session_id text, p_subject_type text, p_subject_id text, p_project_id text, p_listening text[],
    p_sensitivities text[], p_include_quarantined boolean, p_offset int, p_limit int, p_beyond int
) RETURNS TABLE (
    chunk_id uuid, withheld text, text text, importance numeric, ts timestamptz, edits_applied int,
    is_quarantined boolean, event_id uuid, session_id text, scope text, subject_type text, subject_id text,
    project_id text, channel text, tier text, source text, recorder text, kind text, actor_type text, actor_id text,
    is_whole boolean, rank real, content_hash text, available int
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    reach int := p_offset + p_limit + p_beyond;
    ids uuid[];
    hidden uuid[];
    met int;
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT array_agg(h.chunk_id) FILTER (WHERE NOT h.is_hidden), array_agg(h.chunk_id) FILTER (WHERE h.is_hidden),
        count(*)
    INTO ids, hidden, met
    FROM handoff_ids(v_tenant, p_session_id, p_subject_type, p_subject_id, p_project_id, p_listening,
        p_sensitivities, p_include_quarantined, true, reach) h;
    IF met = reach AND hidden IS NOT NULL THEN
        -- hidden ones took places: those that may be seen, alone
        SELECT array_agg(h.chunk_id) INTO ids
        FROM handoff_ids(v_tenant, p_session_id, p_subject_type, p_subject_id, p_project_id, p_listening,
            p_sensitivities, p_include_quarantined, false, reach) h;
    END IF;
    RETURN QUERY
    SELECT c.*, coalesce(cardinality(ids), 0)
    FROM context_chunks(v_tenant, ids[p_offset + 1 : p_offset + p_limit] || hidden[: p_beyond], NULL, p_listening,
        p_sensitivities, p_include_quarantined) c
    ORDER BY c.ts DESC, c.chunk_id DESC;
END $$;

-- Decisions in force for the session, its subject and project, as get_active_decisions has them.
CREATE FUNCTION get_context_decisions(
    p_tenant uuid, p_session_id text, p_subject_type text, p_subject_id text, p_project_id text, p_listening text[],
    p_sensitivities text[], p_include_quarantined boolean, p_offset int, p_limit int, p_beyond int
) RETURNS TABLE (
    decision_id uuid, withheld text, decision text, details text, importance numeric, ts timestamptz, precedence int,
    is_quarantined boolean, edits_applied int, event_id uuid, scope text, subject_type text, subject_id text,
    project_id text, session_id text, channel text, content_hash text, available int
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    v_tenant uuid := p_tenant;
    reach int := p_offset + p_limit + p_beyond;
    ids uuid[];
    hidden uuid[];
    met int;
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT array_agg(n.id ORDER BY n.place) FILTER (WHERE n.why IS NULL),
        array_agg(n.id ORDER BY n.place) FILTER (WHERE n.why IS NOT NULL), count(*)
    INTO ids, hidden, met
    FROM (
        SELECT x.id, a.ordinality AS place, why_withheld(x.sensitivity, x.blocked_channels, x.is_quarantined,
            p_listening, p_sensitivities, p_include_quarantined) AS why
        FROM get_active_decisions(v_tenant, NULL, p_project_id, p_subject_type, p_subject_id, p_session_id, '{}',
            ARRAY['none', 'low', 'high', 'secret'], true, reach) WITH ORDINALITY a
        JOIN memory_effectivedecision x ON x.tenant_id = v_tenant AND x.id = a.decision_id
    ) n;
    IF met = reach AND hidden IS NOT NULL THEN
        -- hidden ones took places: those that may be seen, alone
        SELECT array_agg(a.decision_id) INTO ids
        FROM get_active_decisions(v_tenant, NULL, p_project_id, p_subject_type, p_subject_id, p_session_id,
            p_listening, p_sensitivities, p_include_quarantined, reach) a;
    END IF;
    RETURN QUERY
    SELECT x.id, w.why, CASE WHEN w.why IS NULL THEN c.body END, CASE WHEN w.why IS NULL THEN f.body END, x.importance,
        x.ts,
        CASE x.scope WHEN 'policy' THEN 4 WHEN 'project' THEN 3 WHEN 'user' THEN 2 WHEN 'session' THEN 1 ELSE 0 END,
        x.is_quarantined, x.edits_applied, x.event_id, x.scope, x.subject_type, x.subject_id, x.project_id,
        x.session_id, x.channel, words_hash(c.sha256, f.sha256, NULL, NULL), coalesce(cardinality(ids), 0)
    FROM unnest(ids[p_offset + 1 : p_offset + p_limit] || hidden[: p_beyond]) WITH ORDINALITY AS n (id, place)
    JOIN memory_effectivedecision x ON x.tenant_id = v_tenant AND x.id = n.id
    JOIN governance_content c ON c.tenant_id = v_tenant AND c.id = x.content_id
    LEFT JOIN governance_content f ON f.tenant_id = v_tenant AND f.id = x.details_id
    CROSS JOIN LATERAL (SELECT why_withheld(x.sensitivity, x.blocked_channels, x.is_quarantined, p_listening,
        p_sensitivities, p_include_quarantined) AS why) w
    ORDER BY n.place;
END $$;

-- Tasks that are not done, and what makes them the bundle's: the session, or the subject and the project. By status:
-- `doing` comes before `open`.
CREATE INDEX effective_task_of_session ON memory_effectivetask (tenant_id, session_id, status, ts DESC, id DESC)
    WHERE status IN ('open', 'doing') AND NOT is_retracted;
CREATE INDEX effective_task_about ON memory_effectivetask (
    tenant_id, coalesce(subject_type, ''), coalesce(subject_id, ''), coalesce(project_id, ''), status, ts DESC, id DESC
) WHERE status IN ('open', 'doing') AND NOT is_retracted;

CREATE FUNCTION is_task_seen(
    x memory_effectivetask, p_listening text[], p_sensitivities text[], p_include_quarantined boolean
) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT why_withheld(x.sensitivity, x.blocked_channels, x.is_quarantined, p_listening, p_sensitivities,
        p_include_quarantined) IS NULL
$$;

-- The tasks of the session and those about the subject and the project, then those about none in particular; of each
-- the started ones first, then the newest.
CREATE FUNCTION active_task_ids(
    p_tenant uuid, p_session_id text, p_subject_type text, p_subject_id text, p_project_id text, p_listening text[],
    p_sensitivities text[], p_include_quarantined boolean, p_with_hidden boolean, p_limit int
) RETURNS TABLE (task_id uuid, is_hidden boolean) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    RETURN QUERY
    SELECT u.id, NOT bool_or(u.is_seen)
    FROM (
        (SELECT x.id, x.status, x.ts, true AS is_asked,
            is_task_seen(x, p_listening, p_sensitivities, p_include_quarantined) AS is_seen
         FROM memory_effectivetask x
         WHERE x.tenant_id = v_tenant AND x.session_id = p_session_id
           AND x.status IN ('open', 'doing') AND NOT x.is_retracted
           AND (p_with_hidden OR is_task_seen(x, p_listening, p_sensitivities, p_include_quarantined))
         ORDER BY x.status, x.ts DESC, x.id DESC LIMIT p_limit)
        UNION ALL
        SELECT t.id, t.status, t.ts, k.subject_id <> '' OR k.project_id <> '', t.is_seen
        FROM (SELECT DISTINCT s.subject_type, s.subject_id, p.project_id
              FROM (VALUES ('', ''), (coalesce(p_subject_type, ''), coalesce(p_subject_id, '')))
                  AS s (subject_type, subject_id)
              CROSS JOIN (VALUES (''), (coalesce(p_project_id, ''))) AS p (project_id)) k
        CROSS JOIN LATERAL (
            SELECT x.id, x.status, x.ts,
                is_task_seen(x, p_listening, p_sensitivities, p_include_quarantined) AS is_seen
            FROM memory_effectivetask x
            WHERE x.tenant_id = v_tenant AND coalesce(x.subject_type, '') = k.subject_type
              AND coalesce(x.subject_id, '') = k.subject_id AND coalesce(x.project_id, '') = k.project_id
              AND x.status IN ('open', 'doing') AND NOT x.is_retracted
              AND (p_with_hidden OR is_task_seen(x, p_listening, p_sensitivities, p_include_quarantined))
            ORDER BY x.status, x.ts DESC, x.id DESC LIMIT p_limit
        ) t
    ) u
    GROUP BY u.id, u.status, u.ts
    ORDER BY bool_or(u.is_asked) DESC, u.status, u.ts DESC, u.id DESC LIMIT p_limit;
END $$;

CREATE FUNCTION get_active_tasks(
    p_tenant uuid, p_session_id text, p_subject_type text, p_subject_id text, p_project_id text, p_listening text[],
    p_sensitivities text[], p_include_quarantined boolean, p_offset int, p_limit int, p_beyond int
) RETURNS TABLE (
    task_id uuid, withheld text, title text, details text, status text, ts timestamptz, is_quarantined boolean,
    edits_applied int, event_id uuid, scope text, subject_type text, subject_id text, project_id text,
    session_id text, channel text, content_hash text, available int
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    reach int := p_offset + p_limit + p_beyond;
    ids uuid[];
    hidden uuid[];
    met int;
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT array_agg(t.task_id) FILTER (WHERE NOT t.is_hidden), array_agg(t.task_id) FILTER (WHERE t.is_hidden),
        count(*)
    INTO ids, hidden, met
    FROM active_task_ids(v_tenant, p_session_id, p_subject_type, p_subject_id, p_project_id, p_listening,
        p_sensitivities, p_include_quarantined, true, reach) t;
    IF met = reach AND hidden IS NOT NULL THEN
        -- hidden ones took places: those that may be seen, alone
        SELECT array_agg(t.task_id) INTO ids
        FROM active_task_ids(v_tenant, p_session_id, p_subject_type, p_subject_id, p_project_id, p_listening,
            p_sensitivities, p_include_quarantined, false, reach) t;
    END IF;
    RETURN QUERY
    SELECT x.id, w.why, CASE WHEN w.why IS NULL THEN c.body END, CASE WHEN w.why IS NULL THEN f.body END, x.status,
        x.ts, x.is_quarantined, x.edits_applied, x.event_id, x.scope, x.subject_type, x.subject_id, x.project_id,
        x.session_id, x.channel, words_hash(c.sha256, f.sha256, NULL, NULL), coalesce(cardinality(ids), 0)
    FROM unnest(ids[p_offset + 1 : p_offset + p_limit] || hidden[: p_beyond]) WITH ORDINALITY AS n (id, place)
    JOIN memory_effectivetask x ON x.tenant_id = v_tenant AND x.id = n.id
    JOIN governance_content c ON c.tenant_id = v_tenant AND c.id = x.content_id
    LEFT JOIN governance_content f ON f.tenant_id = v_tenant AND f.id = x.details_id
    CROSS JOIN LATERAL (SELECT why_withheld(x.sensitivity, x.blocked_channels, x.is_quarantined, p_listening,
        p_sensitivities, p_include_quarantined) AS why) w
    ORDER BY n.place;
END $$;

SELECT governance_hand_to_gate(ARRAY[
    'get_session_window(uuid,text,text[],text[],boolean,int,int,int)',
    'get_evidence(uuid,text,text,text,text,text[],text[],boolean,int,int,int,int,int)',
    'handoff_ids(uuid,text,text,text,text,text[],text[],boolean,boolean,int)',
    'get_handoff(uuid,text,text,text,text,text[],text[],boolean,int,int,int)',
    'get_context_decisions(uuid,text,text,text,text,text[],text[],boolean,int,int,int)',
    'is_task_seen(memory_effectivetask,text[],text[],boolean)',
    'active_task_ids(uuid,text,text,text,text,text[],text[],boolean,boolean,int)',
    'get_active_tasks(uuid,text,text,text,text,text[],text[],boolean,int,int,int)'
]::regprocedure[]);
SET ROLE suture_gate;
GRANT EXECUTE ON FUNCTION get_session_window(uuid,text,text[],text[],boolean,int,int,int),
    get_evidence(uuid,text,text,text,text,text[],text[],boolean,int,int,int,int,int),
    get_handoff(uuid,text,text,text,text,text[],text[],boolean,int,int,int),
    get_context_decisions(uuid,text,text,text,text,text[],text[],boolean,int,int,int),
    get_active_tasks(uuid,text,text,text,text,text[],text[],boolean,int,int,int) TO suture_app;
RESET ROLE;
