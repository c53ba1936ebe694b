SET ROLE suture_gate;
DROP FUNCTION get_active_tasks(uuid,text,text,text,text,text[],text[],boolean,int,int,int);
DROP FUNCTION active_task_ids(uuid,text,text,text,text,text[],text[],boolean,boolean,int);
DROP FUNCTION is_task_seen(memory_effectivetask,text[],text[],boolean);
DROP FUNCTION get_context_decisions(uuid,text,text,text,text,text[],text[],boolean,int,int,int);
DROP FUNCTION get_handoff(uuid,text,text,text,text,text[],text[],boolean,int,int,int);
DROP FUNCTION handoff_ids(uuid,text,text,text,text,text[],text[],boolean,boolean,int);
DROP FUNCTION get_evidence(uuid,text,text,text,text,text[],text[],boolean,int,int,int,int,int);
DROP FUNCTION get_session_window(uuid,text,text[],text[],boolean,int,int,int);
RESET ROLE;
DROP INDEX effective_task_about;
DROP INDEX effective_task_of_session;

-- The newest chunks of a session.
CREATE FUNCTION get_session_window(
    p_tenant uuid, p_session_id text, p_listening text[], p_sensitivities text[], p_include_quarantined boolean,
    p_limit int
) RETURNS TABLE (
    chunk_id uuid, withheld text, text text, importance numeric, ts timestamptz, edits_applied int,
    is_quarantined boolean, event_id uuid, session_id text, scope text, subject_type text, subject_id text,
    project_id text, channel text, tier text, source text, recorder text, kind text, actor_type text, actor_id text,
    is_whole boolean, rank real, content_hash text
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    ids uuid[];
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT array_agg(n.id) INTO ids FROM (
        SELECT x.id FROM memory_effectivechunk x
        WHERE x.tenant_id = v_tenant AND x.session_id = p_session_id AND NOT x.is_retracted AND x.superseded_by IS NULL
        ORDER BY x.ts DESC, x.chunk_index DESC, x.id DESC LIMIT p_limit) n;
    RETURN QUERY SELECT * FROM context_chunks(v_tenant, ids, NULL, p_listening, p_sensitivities, p_include_quarantined);
END $$;

-- What may matter to a query: the best matches and the newest, about the subject, or of the project and about nobody
-- else; with neither named, of all. Visible ones only: to tell of others that match would tell their words.
CREATE FUNCTION get_evidence(
    p_tenant uuid, p_query text, p_subject_type text, p_subject_id text, p_project_id text, p_listening text[],
    p_sensitivities text[], p_include_quarantined boolean, p_best int, p_newest int
) RETURNS TABLE (
    chunk_id uuid, withheld text, text text, importance numeric, ts timestamptz, edits_applied int,
    is_quarantined boolean, event_id uuid, session_id text, scope text, subject_type text, subject_id text,
    project_id text, channel text, tier text, source text, recorder text, kind text, actor_type text, actor_id text,
    is_whole boolean, rank real, content_hash text
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    channels text[] := ARRAY['private', 'public', 'team', 'agent'];  -- whoever may hear it: not where it was said
    ids uuid[] := '{}';
    ranks real[] := '{}';
    more uuid[];
BEGIN
    PERFORM require_tenant(p_tenant);
    IF p_query IS NOT NULL AND (p_subject_id IS NOT NULL OR p_project_id IS NULL) THEN
        SELECT array_agg(s.chunk_id), array_agg(s.rank) INTO ids, ranks
        FROM search_chunks(v_tenant, p_query, p_listening, p_sensitivities, channels, p_include_quarantined, NULL,
            p_subject_type, p_subject_id, NULL, NULL, p_best, false) s;
    END IF;
    IF p_query IS NOT NULL AND p_project_id IS NOT NULL THEN
        SELECT ids || array_agg(s.chunk_id), ranks || array_agg(s.rank) INTO ids, ranks
        FROM search_chunks(v_tenant, p_query, p_listening, p_sensitivities, channels, p_include_quarantined, NULL,
            NULL, NULL, p_project_id, NULL, p_best, false) s
        WHERE s.subject_id IS NULL OR s.subject_type = p_subject_type AND s.subject_id = p_subject_id
            OR p_subject_id IS NULL;
    END IF;
    IF p_subject_id IS NOT NULL THEN
        SELECT array_agg(n.id) INTO more FROM (
            SELECT x.id FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant AND x.subject_type = p_subject_type AND x.subject_id = p_subject_id
              AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined)
            ORDER BY x.ts DESC, x.id DESC LIMIT p_newest) n;
    ELSIF p_project_id IS NULL THEN
        SELECT array_agg(n.id) INTO more FROM (
            SELECT x.id FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined)
            ORDER BY x.ts DESC, x.id DESC LIMIT p_newest) n;
    END IF;
    IF p_project_id IS NOT NULL THEN
        SELECT more || array_agg(n.id) INTO more FROM (
            SELECT y.id FROM (
                -- about others can be most of a project: a bounded walk
                SELECT x.id, x.ts, x.subject_type, x.subject_id FROM memory_effectivechunk x
                WHERE x.tenant_id = v_tenant AND x.project_id = p_project_id
                  AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined)
                ORDER BY x.ts DESC, x.id DESC LIMIT 4 * p_newest
            ) y
            WHERE p_subject_id IS NULL OR y.subject_id IS NULL
               OR y.subject_type = p_subject_type AND y.subject_id = p_subject_id
            ORDER BY y.ts DESC, y.id DESC LIMIT p_newest) n;
    END IF;
    SELECT array_agg(f.id), array_agg(f.score) INTO ids, ranks FROM (
        SELECT u.id, max(u.score) AS score FROM (
            SELECT * FROM unnest(ids, ranks) UNION ALL SELECT m, 0 FROM unnest(more) m
        ) AS u (id, score) GROUP BY u.id
    ) f;
    RETURN QUERY
    SELECT * FROM context_chunks(v_tenant, ids, ranks, p_listening, p_sensitivities, p_include_quarantined) c
    WHERE c.withheld IS NULL;
END $$;

-- Summaries that other sessions left about the subject or the project, newest first.
CREATE FUNCTION get_handoff(
    p_tenant uuid, p_session_id text, p_subject_type text, p_subject_id text, p_project_id text, p_listening text[],
    p_sensitivities text[], p_include_quarantined boolean, p_limit int
) RETURNS TABLE (
    chunk_id uuid, withheld text, text text, importance numeric, ts timestamptz, edits_applied int,
    is_quarantined boolean, event_id uuid, session_id text, scope text, subject_type text, subject_id text,
    project_id text, channel text, tier text, source text, recorder text, kind text, actor_type text, actor_id text,
    is_whole boolean, rank real, content_hash text
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    ids uuid[];
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT array_agg(n.id) INTO ids FROM (
        (SELECT x.id FROM memory_effectivechunk x
         WHERE x.tenant_id = v_tenant AND x.subject_type = p_subject_type AND x.subject_id = p_subject_id
           AND x.source = 'summary' AND x.session_id IS DISTINCT FROM p_session_id
           AND NOT x.is_retracted AND x.superseded_by IS NULL
         ORDER BY x.ts DESC, x.id DESC LIMIT p_limit)
        UNION
        (SELECT x.id FROM memory_effectivechunk x
         WHERE x.tenant_id = v_tenant AND x.project_id = p_project_id
           AND x.source = 'summary' AND x.session_id IS DISTINCT FROM p_session_id
           AND NOT x.is_retracted AND x.superseded_by IS NULL
           AND (p_subject_id IS NULL OR x.subject_id IS NULL)
         ORDER BY x.ts DESC, x.id DESC LIMIT p_limit)
    ) n;
    RETURN QUERY
    SELECT * FROM context_chunks(v_tenant, ids, NULL, p_listening, p_sensitivities, p_include_quarantined) c
    ORDER BY c.ts DESC, c.chunk_id DESC LIMIT p_limit;
END $$;

-- Decisions in force for the session, its subject and project, as get_active_decisions has them.
CREATE FUNCTION get_context_decisions(
    p_tenant uuid, p_session_id text, p_subject_type text, p_subject_id text, p_project_id text, p_listening text[],
    p_sensitivities text[], p_include_quarantined boolean, p_limit int
) RETURNS TABLE (
    decision_id uuid, withheld text, decision text, details text, importance numeric, ts timestamptz, precedence int,
    is_quarantined boolean, edits_applied int, event_id uuid, scope text, subject_type text, subject_id text,
    project_id text, session_id text, channel text, content_hash text
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT a.decision_id, w.why, CASE WHEN w.why IS NULL THEN a.decision END, CASE WHEN w.why IS NULL THEN a.details END,
        a.importance, a.ts, a.precedence, a.is_quarantined, a.edits_applied, a.event_id, a.scope, a.subject_type,
        a.subject_id, a.project_id, a.session_id, a.channel, words_hash(c.sha256, f.sha256, NULL, NULL)
    FROM get_active_decisions(v_tenant, NULL, p_project_id, p_subject_type, p_subject_id, p_session_id, '{}',
        ARRAY['none', 'low', 'high', 'secret'], true, p_limit) a
    JOIN memory_effectivedecision d ON d.tenant_id = v_tenant AND d.id = a.decision_id
    JOIN governance_content c ON c.tenant_id = v_tenant AND c.id = d.content_id
    LEFT JOIN governance_content f ON f.tenant_id = v_tenant AND f.id = d.details_id
    CROSS JOIN LATERAL (SELECT why_withheld(d.sensitivity, d.blocked_channels, d.is_quarantined, p_listening,
        p_sensitivities, p_include_quarantined) AS why) w
    ORDER BY a.precedence DESC, a.ts DESC, a.decision_id DESC;
END $$;

-- Tasks that are not done: the session's own, and those about the subject and the project or about none in particular.
-- Started ones first, then the newest, of the tenant's newest 2,000.
CREATE FUNCTION get_active_tasks(
    p_tenant uuid, p_session_id text, p_subject_type text, p_subject_id text, p_project_id text, p_listening text[],
    p_sensitivities text[], p_include_quarantined boolean, p_limit int
) RETURNS TABLE (
    task_id uuid, withheld text, title text, details text, status text, ts timestamptz, is_quarantined boolean,
    edits_applied int, event_id uuid, scope text, subject_type text, subject_id text, project_id text,
    session_id text, channel text, content_hash text
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT t.id, w.why, CASE WHEN w.why IS NULL THEN c.body END, CASE WHEN w.why IS NULL THEN f.body END, t.status, t.ts,
        t.is_quarantined, t.edits_applied, t.event_id, t.scope, t.subject_type, t.subject_id, t.project_id,
        t.session_id, t.channel, words_hash(c.sha256, f.sha256, NULL, NULL)
    FROM (
        SELECT * FROM memory_effectivetask x
        WHERE x.tenant_id = v_tenant AND x.status IN ('open', 'doing') AND NOT x.is_retracted
        ORDER BY x.ts DESC, x.id DESC LIMIT 2000
    ) t
    JOIN governance_content c ON c.tenant_id = v_tenant AND c.id = t.content_id
    LEFT JOIN governance_content f ON f.tenant_id = v_tenant AND f.id = t.details_id
    CROSS JOIN LATERAL (SELECT why_withheld(t.sensitivity, t.blocked_channels, t.is_quarantined, p_listening,
        p_sensitivities, p_include_quarantined) AS why) w
    WHERE t.session_id = p_session_id
       OR (t.subject_id IS NULL OR t.subject_type = p_subject_type AND t.subject_id = p_subject_id)
      AND (t.project_id IS NULL OR t.project_id = p_project_id)
    ORDER BY t.status = 'doing' DESC, t.ts DESC, t.id DESC LIMIT p_limit;
END $$;

SELECT governance_hand_to_gate(ARRAY[
    'get_session_window(uuid,text,text[],text[],boolean,int)',
    'get_evidence(uuid,text,text,text,text,text[],text[],boolean,int,int)',
    'get_handoff(uuid,text,text,text,text,text[],text[],boolean,int)',
    'get_context_decisions(uuid,text,text,text,text,text[],text[],boolean,int)',
    'get_active_tasks(uuid,text,text,text,text,text[],text[],boolean,int)'
]::regprocedure[]);
SET ROLE suture_gate;
GRANT EXECUTE ON FUNCTION get_session_window(uuid,text,text[],text[],boolean,int),
    get_evidence(uuid,text,text,text,text,text[],text[],boolean,int,int),
    get_handoff(uuid,text,text,text,text,text[],text[],boolean,int),
    get_context_decisions(uuid,text,text,text,text,text[],text[],boolean,int),
    get_active_tasks(uuid,text,text,text,text,text[],text[],boolean,int) TO suture_app;
RESET ROLE;
