-- executable by: suture_app
-- Tasks that are not done: those of the session, and those about the subject and the project or about none. Tasks with
-- the status `doing` come first, then the newest; out of the tenant's newest 2,000.
CREATE OR REPLACE FUNCTION get_active_tasks(
    p_tenant uuid, p_session_id text, p_subject_type text, p_subject_id text, p_project_id text, p_listening text[], p_include_quarantined boolean, p_offset int, p_limit int, p_beyond int
) RETURNS TABLE (
    task_id uuid, withheld text, title text, details text, status text, ts timestamptz, is_quarantined boolean,
    edits_applied int, event_id uuid, scope text, subject_type text, subject_id text, project_id text,
    session_id text, channel text, actor_type text, actor_id text, recorder_kind text, recorder text,
    recorded_at timestamptz, content_hash text, available int
) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_reader reader := reader_including(p_tenant, p_listening, p_include_quarantined);
    v_tenant uuid := p_tenant;
    reach int := p_offset + p_limit + p_beyond;
    ids uuid[];
    hidden uuid[];
    met int;
BEGIN
    SELECT array_agg(t.task_id) FILTER (WHERE NOT t.is_hidden), array_agg(t.task_id) FILTER (WHERE t.is_hidden),
        count(*)
    INTO ids, hidden, met
    FROM active_task_ids(v_tenant, p_session_id, p_subject_type, p_subject_id, p_project_id, p_listening,
        v_reader, p_include_quarantined, true, reach) t;
    IF met = reach AND hidden IS NOT NULL THEN
        -- hidden tasks used up the page: fetch visible ones only
        SELECT array_agg(t.task_id) INTO ids
        FROM active_task_ids(v_tenant, p_session_id, p_subject_type, p_subject_id, p_project_id, p_listening,
            v_reader, p_include_quarantined, false, reach) t;
    END IF;
    RETURN QUERY
    SELECT x.id, w.why, CASE WHEN w.why IS NULL THEN c.body END, CASE WHEN w.why IS NULL THEN f.body END, x.status,
        x.ts, x.is_quarantined, x.edits_applied, x.event_id, x.scope, x.subject_type, x.subject_id, x.project_id,
        x.session_id, x.channel, e.actor_type, e.actor_id, e.recorder_kind, e.recorder, e.recorded_at,
        words_hash(c.sha256, f.sha256, NULL, NULL), coalesce(cardinality(ids), 0)
    FROM unnest(ids[p_offset + 1 : p_offset + p_limit] || hidden[: p_beyond]) WITH ORDINALITY AS n (id, place)
    JOIN memory_effectivetask x ON x.tenant_id = v_tenant AND x.id = n.id
    CROSS JOIN LATERAL content_of(v_tenant, x.content_id) c
    LEFT JOIN LATERAL content_of(v_tenant, x.details_id) f ON true
    LEFT JOIN LATERAL event_of(v_tenant, x.event_id) e ON true
    CROSS JOIN LATERAL (
        SELECT why_task_hidden(x, p_listening, v_reader, p_include_quarantined) AS why) w
    WHERE x.id = ANY (ids || hidden)
    ORDER BY n.place;
END $$;
