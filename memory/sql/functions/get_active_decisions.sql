-- executable by: suture_app
-- Decisions in force. For a subject: all policy and global decisions, those of projects that the subject is associated
-- with or that the caller names, the subject's own, and those of sessions with memory about the subject.
CREATE OR REPLACE FUNCTION get_active_decisions(
    p_tenant uuid, p_scope text, p_project_id text, p_subject_type text, p_subject_id text, p_session_id text,
    p_listening text[], p_include_quarantined boolean, p_limit int
) RETURNS TABLE (
    decision_id uuid, decision text, details text, importance numeric, ts timestamptz, precedence int,
    is_quarantined boolean, edits_applied int, event_id uuid, scope text, subject_type text, subject_id text,
    project_id text, session_id text, channel text
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
    v_reader reader := reader_including(p_tenant, p_listening, p_include_quarantined);
    v_tenant uuid := p_tenant;
    about record;
BEGIN
    SELECT * INTO about
    FROM associated_with(v_tenant, p_subject_type, p_subject_id, p_listening, v_reader, p_include_quarantined);
    RETURN QUERY
    SELECT * FROM decisions_in_force(v_tenant, num_nonnulls(p_project_id, p_subject_id, p_session_id) = 0, p_scope,
        about.projects || p_project_id, p_subject_type, p_subject_id, about.sessions || p_session_id, p_listening,
        v_reader, p_include_quarantined, p_limit);
END $$;
