-- executable by: suture_app
-- Decisions in force for the session, its subject and project, in the order of get_active_decisions.
CREATE OR REPLACE FUNCTION get_context_decisions(
    p_tenant uuid, p_session_id text, p_subject_type text, p_subject_id text, p_project_id text, p_listening text[], p_include_quarantined boolean, p_offset int, p_limit int, p_beyond int
) RETURNS TABLE (
    decision_id uuid, withheld text, decision text, details text, importance numeric, ts timestamptz, precedence int,
    is_quarantined boolean, edits_applied int, event_id uuid, scope text, subject_type text, subject_id text,
    project_id text, session_id text, channel text, actor_type text, actor_id text, recorder_kind text, recorder text,
    recorded_at timestamptz, content_hash text, available int
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
    v_reader reader := reader_including(p_tenant, p_listening, p_include_quarantined);
    v_tenant uuid := p_tenant;
    reach int := p_offset + p_limit + p_beyond;
    ids uuid[];
    hidden uuid[];
    met int;
    about record;
BEGIN
    SELECT * INTO about
    FROM associated_with(v_tenant, p_subject_type, p_subject_id, p_listening, v_reader, p_include_quarantined);
    SELECT array_agg(n.id ORDER BY n.place) FILTER (WHERE n.why IS NULL),
        array_agg(n.id ORDER BY n.place) FILTER (WHERE n.why IS NOT NULL), count(*)
    INTO ids, hidden, met
    FROM (
        SELECT x.id, a.ordinality AS place, x.why
        FROM decisions_in_force(v_tenant, false, NULL, about.projects || p_project_id, p_subject_type, p_subject_id,
            about.sessions || p_session_id, '{}',
            ROW('{private,public,team,agent,none,low,high,secret}', (v_reader).hears_all, (v_reader).audiences)::reader,
            true, reach)
            WITH ORDINALITY a
        CROSS JOIN LATERAL (
            SELECT d.id, why_decision_hidden(d, p_listening, v_reader, p_include_quarantined) AS why
            FROM memory_effectivedecision d WHERE d.tenant_id = v_tenant AND d.id = a.decision_id LIMIT 1) x
    ) n;
    IF met = reach AND hidden IS NOT NULL THEN
        -- hidden decisions used up the page: fetch visible ones only
        SELECT array_agg(a.decision_id) INTO ids
        FROM get_active_decisions(v_tenant, NULL, p_project_id, p_subject_type, p_subject_id, p_session_id,
            p_listening, p_include_quarantined, reach) a;
    END IF;
    RETURN QUERY
    SELECT x.id, w.why, CASE WHEN w.why IS NULL THEN c.body END, CASE WHEN w.why IS NULL THEN f.body END, x.importance,
        x.ts,
        CASE x.scope WHEN 'policy' THEN 4 WHEN 'project' THEN 3 WHEN 'user' THEN 2 WHEN 'session' THEN 1 ELSE 0 END,
        x.is_quarantined, x.edits_applied, x.event_id, x.scope, x.subject_type, x.subject_id, x.project_id,
        x.session_id, x.channel, e.actor_type, e.actor_id, e.recorder_kind, e.recorder, e.recorded_at,
        words_hash(c.sha256, f.sha256, NULL, NULL), coalesce(cardinality(ids), 0)
    FROM unnest(ids[p_offset + 1 : p_offset + p_limit] || hidden[: p_beyond]) WITH ORDINALITY AS n (id, place)
    JOIN memory_effectivedecision x ON x.tenant_id = v_tenant AND x.id = n.id
    CROSS JOIN LATERAL content_of(v_tenant, x.content_id) c
    LEFT JOIN LATERAL content_of(v_tenant, x.details_id) f ON true
    LEFT JOIN LATERAL event_of(v_tenant, x.event_id) e ON true
    CROSS JOIN LATERAL (
        SELECT why_decision_hidden(x, p_listening, v_reader, p_include_quarantined) AS why) w
    WHERE x.id = ANY (ids || hidden)
    ORDER BY n.place;
END $$;
