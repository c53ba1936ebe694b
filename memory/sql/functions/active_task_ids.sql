-- The tasks of the session and those about the subject and the project, then those about no subject and no project. In
-- each group, tasks with the status `doing` come first, then the newest.
CREATE OR REPLACE FUNCTION active_task_ids(
    p_tenant uuid, p_session_id text, p_subject_type text, p_subject_id text, p_project_id text, p_listening text[],
    p_reader reader, p_include_quarantined boolean, p_with_hidden boolean, p_limit int
) RETURNS TABLE (task_id uuid, is_hidden boolean) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    RETURN QUERY
    SELECT u.id, NOT bool_or(u.is_seen)
    FROM (
        (SELECT x.id, x.status, x.ts, true AS is_asked,
            why_task_hidden(x, p_listening, p_reader, p_include_quarantined) IS NULL AS is_seen
         FROM memory_effectivetask x
         WHERE x.tenant_id = v_tenant AND x.session_id = p_session_id
           AND x.status IN ('open', 'doing') AND NOT x.is_retracted AND hears(p_reader, x.audience)
           AND (p_with_hidden OR why_task_hidden(x, p_listening, p_reader, p_include_quarantined) IS NULL)
         ORDER BY x.status, x.ts DESC, x.id DESC LIMIT p_limit)
        UNION ALL
        SELECT t.id, t.status, t.ts, k.subject_id <> '' OR k.project_id <> '', t.is_seen
        FROM (SELECT DISTINCT s.subject_type, s.subject_id, p.project_id
              FROM (VALUES ('', ''), (coalesce(p_subject_type, ''), coalesce(p_subject_id, '')))
                  AS s (subject_type, subject_id)
              CROSS JOIN (VALUES (''), (coalesce(p_project_id, ''))) AS p (project_id)) k
        CROSS JOIN LATERAL (
            SELECT x.id, x.status, x.ts,
                why_task_hidden(x, p_listening, p_reader, p_include_quarantined) IS NULL AS is_seen
            FROM memory_effectivetask x
            WHERE x.tenant_id = v_tenant AND coalesce(x.subject_type, '') = k.subject_type
              AND coalesce(x.subject_id, '') = k.subject_id AND coalesce(x.project_id, '') = k.project_id
              AND x.status IN ('open', 'doing') AND NOT x.is_retracted AND hears(p_reader, x.audience)
              AND (p_with_hidden OR why_task_hidden(x, p_listening, p_reader, p_include_quarantined) IS NULL)
            ORDER BY x.status, x.ts DESC, x.id DESC LIMIT p_limit
        ) t
    ) u
    GROUP BY u.id, u.status, u.ts
    ORDER BY bool_or(u.is_asked) DESC, u.status, u.ts DESC, u.id DESC LIMIT p_limit;
END $$;
