-- Surgery: decisions in force, what a filter would touch, and the history of a chunk.

-- Decisions by id, those that may be seen.
CREATE FUNCTION get_decisions(
    p_tenant uuid, p_ids uuid[], p_listening text[], p_sensitivities text[], p_include_quarantined boolean
) RETURNS TABLE (
    decision_id uuid, decision text, details text, importance numeric, status text, ts timestamptz,
    is_quarantined boolean, edits_applied int, event_id uuid, scope text, subject_type text, subject_id text,
    project_id text, session_id text, channel text
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT d.id, c.body, f.body, d.importance, d.status, d.ts, d.is_quarantined, d.edits_applied, d.event_id, d.scope,
        d.subject_type, d.subject_id, d.project_id, d.session_id, d.channel
    FROM memory_effectivedecision d
    JOIN governance_content c ON c.tenant_id = v_tenant AND c.id = d.content_id
    LEFT JOIN governance_content f ON f.tenant_id = v_tenant AND f.id = d.details_id
    WHERE d.tenant_id = v_tenant AND d.id = ANY (p_ids) AND NOT d.is_retracted
      AND (p_include_quarantined OR NOT d.is_quarantined)
      AND d.sensitivity = ANY (p_sensitivities) AND NOT d.blocked_channels && p_listening;
END $$;

-- Decisions in force, by precedence (policy 4, project 3, user 2, session 1, global 0), then newest. For a subject:
-- policy and global always; those of projects that the subject is associated with or that is asked for; the
-- subject's own; those of sessions with memory about the subject.
CREATE FUNCTION get_active_decisions(
    p_tenant uuid, p_scope text, p_project_id text, p_subject_type text, p_subject_id text, p_session_id text,
    p_listening text[], p_sensitivities text[], p_include_quarantined boolean, p_limit int
) RETURNS TABLE (
    decision_id uuid, decision text, details text, importance numeric, ts timestamptz, precedence int,
    is_quarantined boolean, edits_applied int, event_id uuid, scope text, subject_type text, subject_id text,
    project_id text, session_id text, channel text
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    v_tenant uuid := p_tenant;
    projects text[] := CASE WHEN p_project_id IS NULL THEN '{}'::text[] ELSE ARRAY[p_project_id] END;
    sessions text[] := CASE WHEN p_session_id IS NULL THEN '{}'::text[] ELSE ARRAY[p_session_id] END;
    everything boolean := p_project_id IS NULL AND p_subject_id IS NULL AND p_session_id IS NULL;
BEGIN
    PERFORM require_tenant(p_tenant);
    IF p_subject_id IS NOT NULL THEN
        SELECT projects || coalesce(array_agg(DISTINCT x.project_id) FILTER (WHERE x.project_id IS NOT NULL), '{}'),
               sessions || coalesce(array_agg(DISTINCT x.session_id) FILTER (WHERE x.session_id IS NOT NULL), '{}')
        INTO projects, sessions
        FROM memory_effectivechunk x
        WHERE x.tenant_id = v_tenant AND x.subject_id = p_subject_id AND NOT x.is_retracted
          AND x.subject_type IS NOT NULL AND (p_subject_type IS NULL OR x.subject_type = p_subject_type);
    END IF;
    RETURN QUERY
    SELECT d.id, c.body, f.body, d.importance, d.ts,
        CASE d.scope WHEN 'policy' THEN 4 WHEN 'project' THEN 3 WHEN 'user' THEN 2 WHEN 'session' THEN 1 ELSE 0 END,
        d.is_quarantined, d.edits_applied, d.event_id, d.scope, d.subject_type, d.subject_id, d.project_id,
        d.session_id, d.channel
    FROM memory_effectivedecision d
    JOIN governance_content c ON c.tenant_id = v_tenant AND c.id = d.content_id
    LEFT JOIN governance_content f ON f.tenant_id = v_tenant AND f.id = d.details_id
    WHERE d.tenant_id = v_tenant AND d.status = 'active' AND NOT d.is_retracted
      AND (p_include_quarantined OR NOT d.is_quarantined)
      AND d.sensitivity = ANY (p_sensitivities) AND NOT d.blocked_channels && p_listening
      AND (p_scope IS NULL OR d.scope = p_scope)
      AND (everything OR CASE d.scope
            WHEN 'project' THEN d.project_id = ANY (projects)
            WHEN 'user' THEN d.subject_id = p_subject_id AND (p_subject_type IS NULL OR d.subject_type = p_subject_type)
            WHEN 'session' THEN d.session_id = ANY (sessions) OR d.subject_id = ANY (sessions)
            ELSE true END)
    ORDER BY 6 DESC, d.ts DESC, d.id DESC LIMIT p_limit;
END $$;

-- The chunks that an edit by filter would touch, oldest first: not retracted yet, recorded up to p_until_id (ids are
-- in order of time, so that what is recorded after a preview stays out of its commit). p_phrase matches effective
-- text. Ids only. p_listening and p_sensitivities narrow to what the caller would find by search: even a count tells
-- words; NULL for people, who look after all of memory.
CREATE FUNCTION match_chunks(
    p_tenant uuid, p_recorder text, p_scope text, p_subject_type text, p_subject_id text, p_project_id text,
    p_session_id text, p_channel text, p_since timestamptz, p_until timestamptz, p_phrase text, p_until_id uuid,
    p_listening text[], p_sensitivities text[], p_limit int
) RETURNS TABLE (chunk_id uuid) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    q tsquery := phraseto_tsquery('english', p_phrase);
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT x.id FROM memory_effectivechunk x
    WHERE x.tenant_id = v_tenant AND NOT x.is_retracted AND x.superseded_by IS NULL AND x.id <= p_until_id
      AND (p_recorder IS NULL OR x.recorder = p_recorder)
      AND (p_scope IS NULL OR x.scope = p_scope)
      AND (p_subject_type IS NULL OR x.subject_type = p_subject_type)
      AND (p_subject_id IS NULL OR x.subject_id = p_subject_id)
      AND (p_project_id IS NULL OR x.project_id = p_project_id)
      AND (p_session_id IS NULL OR x.session_id = p_session_id)
      AND (p_channel IS NULL OR x.channel = p_channel)
      AND (p_since IS NULL OR x.ts >= p_since) AND (p_until IS NULL OR x.ts < p_until)
      AND (p_phrase IS NULL OR x.tsv @@ q)
      AND (p_listening IS NULL OR x.channel = ANY (p_listening) AND NOT x.blocked_channels && p_listening)
      AND (p_sensitivities IS NULL OR x.sensitivity = ANY (p_sensitivities))
    ORDER BY x.id LIMIT p_limit;
END $$;

-- The states of a chunk: as recorded (edit_id NULL), then after each edit that was applied to it or to another record
-- of its memory. For reviewers and auditors: it tells what was retracted.
CREATE FUNCTION get_chunk_history(p_tenant uuid, p_chunk uuid) RETURNS TABLE (
    edit_id uuid, at timestamptz, text text, importance numeric, is_retracted boolean, is_quarantined boolean,
    blocked_channels text[], edits_applied int
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    k memory_chunk;
    twins uuid[];
    moment record;
    f record;
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT * INTO k FROM memory_chunk c WHERE c.tenant_id = p_tenant AND c.id = p_chunk;
    IF NOT FOUND THEN RETURN; END IF;
    SELECT coalesce(array_agg(d.id), '{}') INTO twins FROM memory_decision d
    WHERE d.tenant_id = p_tenant AND d.event_id = k.event_id;
    FOR moment IN
        SELECT NULL::uuid AS id, '-infinity'::timestamptz AS applied, k.ts AS shown
        UNION ALL
        SELECT e.id, s.applied_at, s.applied_at FROM governance_edit e JOIN governance_editstate s
            ON s.tenant_id = p_tenant AND s.edit_id = e.id AND s.status = 'approved'
        WHERE e.tenant_id = p_tenant AND e.target_id = ANY (p_chunk || twins)
        ORDER BY 2, 1
    LOOP
        SELECT * INTO f FROM fold_edits(p_tenant, k.id, twins, k.importance, moment.applied);
        edit_id := moment.id; at := moment.shown; importance := f.importance; is_retracted := f.is_retracted;
        is_quarantined := f.is_quarantined; blocked_channels := f.blocked_channels; edits_applied := f.edits_applied;
        SELECT CASE WHEN f.content_id IS NULL THEN span_of(c.body, k.span_start, k.span_end) ELSE c.body END INTO text
        FROM governance_content c WHERE c.tenant_id = p_tenant AND c.id = coalesce(f.content_id, k.content_id);
        RETURN NEXT;
    END LOOP;
END $$;

SELECT governance_hand_to_gate(ARRAY[
    'get_decisions(uuid,uuid[],text[],text[],boolean)',
    'get_active_decisions(uuid,text,text,text,text,text,text[],text[],boolean,int)',
    'match_chunks(uuid,text,text,text,text,text,text,text,timestamptz,timestamptz,text,uuid,text[],text[],int)',
    'get_chunk_history(uuid,uuid)'
]::regprocedure[]);
SET ROLE suture_gate;
GRANT EXECUTE ON FUNCTION get_decisions(uuid,uuid[],text[],text[],boolean),
    get_active_decisions(uuid,text,text,text,text,text,text[],text[],boolean,int),
    match_chunks(uuid,text,text,text,text,text,text,text,timestamptz,timestamptz,text,uuid,text[],text[],int),
    get_chunk_history(uuid,uuid) TO suture_app;
RESET ROLE;
