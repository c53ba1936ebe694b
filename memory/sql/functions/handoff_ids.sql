-- Summaries that other sessions left about the subject or the project, newest first.
CREATE OR REPLACE FUNCTION handoff_ids(
    p_tenant uuid, p_session_id text, p_subject_type text, p_subject_id text, p_project_id text, p_listening text[],
    p_reader reader, p_include_quarantined boolean, p_with_hidden boolean, p_limit int
) RETURNS TABLE (chunk_id uuid, is_hidden boolean) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    RETURN QUERY
    SELECT n.id, NOT n.is_seen FROM (
        (SELECT x.id, x.ts, is_seen(x, p_listening, p_reader, p_include_quarantined) AS is_seen
         FROM memory_effectivechunk x
         WHERE x.tenant_id = v_tenant AND x.subject_type = p_subject_type AND x.subject_id = p_subject_id
           AND x.source = 'summary' AND x.session_id IS DISTINCT FROM p_session_id
           AND NOT x.is_retracted AND x.superseded_by IS NULL AND x.tier <> 'archive'
           AND hears(p_reader, x.audience)
           AND (p_with_hidden OR is_seen(x, p_listening, p_reader, p_include_quarantined))
         ORDER BY x.ts DESC, x.id DESC LIMIT p_limit)
        UNION
        (SELECT x.id, x.ts, is_seen(x, p_listening, p_reader, p_include_quarantined)
         FROM memory_effectivechunk x
         WHERE x.tenant_id = v_tenant AND x.project_id = p_project_id
           AND x.source = 'summary' AND x.session_id IS DISTINCT FROM p_session_id
           AND NOT x.is_retracted AND x.superseded_by IS NULL AND x.tier <> 'archive'
           AND hears(p_reader, x.audience)
           AND (p_subject_id IS NULL OR x.subject_id IS NULL)
           AND (p_with_hidden OR is_seen(x, p_listening, p_reader, p_include_quarantined))
         ORDER BY x.ts DESC, x.id DESC LIMIT p_limit)
    ) n
    ORDER BY n.ts DESC, n.id DESC LIMIT p_limit;
END $$;
