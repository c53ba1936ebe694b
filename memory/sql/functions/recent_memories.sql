-- executable by: suture_app
-- What an agent may need at the start: the newest of its own memories that are not superseded, and the newest chunks of
-- its tenant, p_limit of each, as far as the audience may read them. Omits descriptions of single tool calls: there are
-- too many, and a search finds them. A NULL filter matches everything. The planner must not see the limit
-- (list_chunks).
CREATE OR REPLACE FUNCTION recent_memories(
    p_tenant uuid, p_agent uuid, p_listening text[], p_subject_type text, p_subject_id text, p_project_id text, p_limit int
) RETURNS SETOF uuid LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    v_reader reader := reader_of(p_tenant, p_listening);
    channels text[] := (acting(p_tenant)).channels;
BEGIN
    PERFORM require_own_chain(p_tenant, p_agent);
    RETURN QUERY
    (SELECT x.id FROM memory_effectivechunk x
     WHERE x.tenant_id = v_tenant AND x.recorded_by = p_agent AND NOT x.is_superseded AND NOT x.is_retracted
       AND x.tier <> 'archive' AND x.seq IS NOT NULL AND is_seen_in_chain(x, p_listening, v_reader, false, false)
       AND is_about(x, channels, NULL, p_subject_type, p_subject_id, p_project_id, NULL)
     ORDER BY x.seq DESC LIMIT (SELECT p_limit))
    UNION
    (SELECT x.id FROM memory_effectivechunk x
     WHERE x.tenant_id = v_tenant AND is_seen(x, p_listening, v_reader, false) AND x.tier <> 'archive'
       AND (x.source <> 'hook' OR x.importance >= 0.5)
       AND is_about(x, channels, NULL, p_subject_type, p_subject_id, p_project_id, NULL)
     ORDER BY x.ts DESC, x.id DESC LIMIT (SELECT p_limit));
END $$;
