-- Decisions in force, by precedence (policy 4, project 3, user 2, session 1, global 0), then newest: policy and global
-- decisions, those of the given projects and sessions, and those of the subject; or all.
CREATE OR REPLACE FUNCTION decisions_in_force(
    p_tenant uuid, p_all boolean, p_scope text, p_projects text[], p_subject_type text, p_subject_id text,
    p_sessions text[], p_listening text[], p_reader reader, p_include_quarantined boolean, p_limit int
) RETURNS TABLE (
    decision_id uuid, decision text, details text, importance numeric, ts timestamptz, precedence int,
    is_quarantined boolean, edits_applied int, event_id uuid, scope text, subject_type text, subject_id text,
    project_id text, session_id text, channel text
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    RETURN QUERY
    SELECT d.id, c.body, f.body, d.importance, d.ts,
        CASE d.scope WHEN 'policy' THEN 4 WHEN 'project' THEN 3 WHEN 'user' THEN 2 WHEN 'session' THEN 1 ELSE 0 END,
        d.is_quarantined, d.edits_applied, d.event_id, d.scope, d.subject_type, d.subject_id, d.project_id,
        d.session_id, d.channel
    FROM memory_effectivedecision d
    CROSS JOIN LATERAL content_of(v_tenant, d.content_id) c
    LEFT JOIN LATERAL content_of(v_tenant, d.details_id) f ON true
    WHERE d.tenant_id = v_tenant AND d.status = 'active' AND NOT d.is_retracted
      AND why_decision_hidden(d, p_listening, p_reader, p_include_quarantined) IS NULL
      AND (p_scope IS NULL OR d.scope = p_scope)
      AND (p_all OR CASE d.scope
            WHEN 'project' THEN d.project_id = ANY (p_projects)
            WHEN 'user' THEN d.subject_id = p_subject_id AND (p_subject_type IS NULL OR d.subject_type = p_subject_type)
            WHEN 'session' THEN d.session_id = ANY (p_sessions) OR d.subject_id = ANY (p_sessions)
            ELSE true END)
    ORDER BY 6 DESC, d.ts DESC, d.id DESC LIMIT p_limit;
END $$;
