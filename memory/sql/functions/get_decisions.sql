-- executable by: suture_app
-- The decisions with these ids that the reader may see.
CREATE OR REPLACE FUNCTION get_decisions(
    p_tenant uuid, p_ids uuid[], p_listening text[], p_include_quarantined boolean
) RETURNS TABLE (
    decision_id uuid, decision text, details text, importance numeric, status text, ts timestamptz,
    is_quarantined boolean, edits_applied int, event_id uuid, scope text, subject_type text, subject_id text,
    project_id text, session_id text, channel text
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
    v_tenant uuid := p_tenant;
    v_reader reader := reader_including(p_tenant, p_listening, p_include_quarantined);
BEGIN
    RETURN QUERY
    SELECT d.id, c.body, f.body, d.importance, d.status, d.ts, d.is_quarantined, d.edits_applied, d.event_id, d.scope,
        d.subject_type, d.subject_id, d.project_id, d.session_id, d.channel
    FROM memory_effectivedecision d
    CROSS JOIN LATERAL content_of(v_tenant, d.content_id) c
    LEFT JOIN LATERAL content_of(v_tenant, d.details_id) f ON true
    WHERE d.tenant_id = v_tenant AND d.id = ANY (p_ids)
      AND why_decision_hidden(d, p_listening, v_reader, p_include_quarantined) IS NULL;
END $$;
