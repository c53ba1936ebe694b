-- executable by: suture_app
-- The newest decisions that match the filters and that the reader may see, in force or superseded, from
-- (p_before_ts, p_before_id) on downwards: one page of a list.
CREATE OR REPLACE FUNCTION list_decisions(
    p_tenant uuid, p_listening text[], p_channels text[], p_include_quarantined boolean, p_status text,
    p_scope text, p_subject_type text, p_subject_id text, p_project_id text, p_session_id text,
    p_since timestamptz, p_until timestamptz, p_before_ts timestamptz, p_before_id uuid, p_limit int
) RETURNS TABLE (
    decision_id uuid, decision text, details text, importance numeric, status text, ts timestamptz,
    is_quarantined boolean, edits_applied int, event_id uuid, scope text, subject_type text, subject_id text,
    project_id text, session_id text, channel text
) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    v_reader reader := reader_including(p_tenant, p_listening, p_include_quarantined);
BEGIN
    RETURN QUERY
    SELECT n.id, c.body, f.body, n.importance, n.status, n.ts, n.is_quarantined, n.edits_applied, n.event_id, n.scope,
        n.subject_type, n.subject_id, n.project_id, n.session_id, n.channel
    FROM (
        SELECT x.id, x.content_id, x.details_id, x.importance, x.status, x.ts, x.is_quarantined, x.edits_applied,
            x.event_id, x.scope, x.subject_type, x.subject_id, x.project_id, x.session_id, x.channel
        FROM memory_effectivedecision x
        WHERE x.tenant_id = v_tenant AND NOT x.is_retracted AND x.channel = ANY (p_channels)
          -- the CASE is for the planner, as in is_seen(): it would read and sort all of the tenant's
          AND CASE WHEN why_decision_hidden(x, p_listening, v_reader, p_include_quarantined) IS NULL
              THEN true ELSE false END
          AND (p_status IS NULL OR x.status = p_status) AND (p_scope IS NULL OR x.scope = p_scope)
          AND (p_subject_type IS NULL OR x.subject_type = p_subject_type)
          AND (p_subject_id IS NULL OR x.subject_id = p_subject_id)
          AND (p_project_id IS NULL OR x.project_id = p_project_id)
          AND (p_session_id IS NULL OR x.session_id = p_session_id)
          AND (p_since IS NULL OR x.ts >= p_since) AND (p_until IS NULL OR x.ts < p_until)
          AND (p_before_ts IS NULL OR x.ts <= p_before_ts AND (x.ts < p_before_ts OR x.id < p_before_id))
        ORDER BY x.ts DESC, x.id DESC LIMIT (SELECT p_limit)
    ) n
    CROSS JOIN LATERAL content_of(v_tenant, n.content_id) c
    LEFT JOIN LATERAL content_of(v_tenant, n.details_id) f ON true
    ORDER BY n.ts DESC, n.id DESC;
END $$;
