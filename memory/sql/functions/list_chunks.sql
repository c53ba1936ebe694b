-- executable by: suture_app
-- The newest chunks that match the filters, from (p_before_ts, p_before_id) on downwards: one page of a list.
CREATE OR REPLACE FUNCTION list_chunks(
    p_tenant uuid, p_listening text[], p_channels text[], p_include_quarantined boolean, p_include_archived boolean,
    p_scope text, p_subject_type text, p_subject_id text, p_project_id text, p_session_id text, p_tier text, p_tag text,
    p_since timestamptz, p_until timestamptz, p_before_ts timestamptz, p_before_id uuid, p_limit int
) RETURNS SETOF chunk_row LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    v_reader reader := reader_including(p_tenant, p_listening, p_include_quarantined);
    v_from timestamptz := coalesce(p_before_ts, 'infinity');  -- never NULL, so that a page begins in the index
BEGIN
    -- The usual lists, of all and of one subject, have one plan for all values, so they are planned once.
    IF num_nonnulls(p_scope, p_project_id, p_session_id, p_tier, p_tag, p_since, p_until) = 0 THEN
        IF num_nonnulls(p_subject_type, p_subject_id) = 2 THEN
            RETURN QUERY
            SELECT x.id, x.text, x.importance, x.ts, x.edits_applied, x.is_retracted, x.is_quarantined, x.event_id,
                x.session_id, x.scope, x.subject_type, x.subject_id, x.project_id, x.channel, x.tier, x.source,
                x.recorder, x.tags
            FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant AND x.subject_type = p_subject_type AND x.subject_id = p_subject_id
              AND is_seen(x, p_listening, v_reader, p_include_quarantined) AND x.channel = ANY (p_channels)
              AND (p_include_archived OR x.tier <> 'archive')
              AND x.ts <= v_from AND (p_before_ts IS NULL OR x.ts < p_before_ts OR x.id < p_before_id)
            ORDER BY x.ts DESC, x.id DESC LIMIT p_limit;
            RETURN;
        ELSIF num_nonnulls(p_subject_type, p_subject_id) = 0 THEN
            RETURN QUERY
            SELECT x.id, x.text, x.importance, x.ts, x.edits_applied, x.is_retracted, x.is_quarantined, x.event_id,
                x.session_id, x.scope, x.subject_type, x.subject_id, x.project_id, x.channel, x.tier, x.source,
                x.recorder, x.tags
            FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant
              AND is_seen(x, p_listening, v_reader, p_include_quarantined) AND x.channel = ANY (p_channels)
              AND (p_include_archived OR x.tier <> 'archive')
              AND x.ts <= v_from AND (p_before_ts IS NULL OR x.ts < p_before_ts OR x.id < p_before_id)
            ORDER BY x.ts DESC, x.id DESC LIMIT p_limit;
            RETURN;
        END IF;
    END IF;
    -- Planning with the values removes NULL filters. The planner must not see the limit: it would read and sort a
    -- tenant with fewer expected rows than that, instead of walking an index.
    PERFORM set_config('plan_cache_mode', 'force_custom_plan', true);
    RETURN QUERY
    SELECT x.id, x.text, x.importance, x.ts, x.edits_applied, x.is_retracted, x.is_quarantined, x.event_id,
        x.session_id, x.scope, x.subject_type, x.subject_id, x.project_id, x.channel, x.tier, x.source, x.recorder,
        x.tags
    FROM memory_effectivechunk x
    WHERE x.tenant_id = v_tenant AND is_seen(x, p_listening, v_reader, p_include_quarantined)
      AND is_about(x, p_channels, p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id)
      AND (p_tier IS NULL OR x.tier = p_tier) AND (p_include_archived OR x.tier <> 'archive')
      AND (p_tag IS NULL OR x.id IN (
          SELECT k.id FROM memory_chunk k
          WHERE k.tenant_id = v_tenant AND k.tags @> ARRAY[p_tag] AND k.tags <> '{}'))
      AND (p_since IS NULL OR x.ts >= p_since) AND (p_until IS NULL OR x.ts < p_until)
      AND (p_before_ts IS NULL OR x.ts <= p_before_ts AND (x.ts < p_before_ts OR x.id < p_before_id))
    ORDER BY x.ts DESC, x.id DESC LIMIT (SELECT p_limit);
END $$;
