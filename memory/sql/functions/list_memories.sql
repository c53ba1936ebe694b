-- executable by: suture_app
-- The newest memories that match the filters, from (p_before_ts, p_before_id) on downwards: one page of a list.
-- p_metadata is a condition of metadata (has_metadata), and p_metadata_equals the part of it that the index can look up.
-- p_at is a time as of which it lists them; NULL: now.
CREATE OR REPLACE FUNCTION list_memories(
    p_tenant uuid, p_at timestamptz, p_listening text[], p_channels text[], p_include_quarantined boolean, p_scope text,
    p_subject_type text, p_subject_id text, p_subject_prefix text, p_project_id text, p_session_id text, p_key text, p_key_prefix text,
    p_tag text, p_kind text, p_recorder text, p_since timestamptz, p_until timestamptz, p_metadata text,
    p_metadata_equals text, p_before_ts timestamptz, p_before_id uuid, p_limit int
) RETURNS SETOF memory_row LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    v_reader reader := reader_including(p_tenant, p_listening, p_include_quarantined);
    v_metadata jsonpath := p_metadata::jsonpath;
    v_equals jsonpath := p_metadata_equals::jsonpath;
    f search_filter := (p_listening, v_reader, p_channels, p_include_quarantined, p_scope, p_subject_type, p_subject_id,
        p_project_id, p_session_id, true, NULL, p_tag, p_recorder, NULL, NULL, p_kind, p_since, p_until, NULL,
        v_metadata, v_equals, p_subject_prefix);
    v_from timestamptz := coalesce(p_before_ts, 'infinity');  -- never NULL, so that a page begins in the index
    few uuid[];  -- those with the key or the metadata, if they are few
    firsts uuid[];
BEGIN
    IF p_at IS NOT NULL THEN
        PERFORM require_past_reader(v_reader);
        RETURN QUERY SELECT * FROM list_memories_at(p_tenant, p_at, f, p_key, p_key_prefix, p_before_ts, p_before_id, p_limit);
        RETURN;
    END IF;
    IF num_nonnulls(p_key, p_subject_type, p_subject_id) = 3 AND p_key_prefix IS NULL THEN
        -- one plan for all keys: planning takes longer than the lookup
        PERFORM set_config('plan_cache_mode', 'force_generic_plan', true);
        few := ARRAY(
            SELECT x.id FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant AND NOT x.is_retracted AND x.superseded_by IS NULL
              AND x.key COLLATE "C" = p_key AND x.subject_type = p_subject_type AND x.subject_id = p_subject_id LIMIT 2000);
    ELSIF p_key IS NOT NULL OR p_key_prefix IS NOT NULL THEN
        few := ARRAY(
            SELECT x.id FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant AND x.key IS NOT NULL AND NOT x.is_retracted AND x.superseded_by IS NULL
              AND (p_key IS NULL OR x.key COLLATE "C" = p_key)
              AND (p_key_prefix IS NULL OR x.key COLLATE "C" ^@ p_key_prefix)
              AND (p_subject_type IS NULL OR x.subject_type = p_subject_type)
              AND (p_subject_id IS NULL OR x.subject_id = p_subject_id) LIMIT 2000);
    ELSIF v_equals IS NOT NULL THEN
        few := ARRAY(
            SELECT x.id FROM memory_effectivechunk x
            WHERE tenant_metadata(x.tenant_id, x.metadata) @@ v_equals AND x.metadata IS NOT NULL AND NOT x.is_retracted
              AND x.chunk_index = 0 LIMIT 2000);
    END IF;
    IF cardinality(few) < 2000 THEN
        firsts := ARRAY(
            SELECT x.id FROM unnest(few) i (id) CROSS JOIN LATERAL (
                SELECT y.* FROM memory_effectivechunk y WHERE y.tenant_id = v_tenant AND y.id = i.id OFFSET 0) x
            WHERE is_found(x, f)
              AND (p_before_ts IS NULL OR x.ts <= p_before_ts AND (x.ts < p_before_ts OR x.id < p_before_id))
            ORDER BY x.ts DESC, x.id DESC LIMIT p_limit);
        RETURN QUERY
        SELECT r.* FROM memory_rows(p_tenant, firsts, p_listening, v_reader, p_include_quarantined) r
        ORDER BY r.ts DESC, r.chunk_id DESC;
        RETURN;
    END IF;
    -- Of many subjects with one beginning, the newest are probably among the newest of the tenant. Their index would have
    -- to be read as a whole, and sorted. One plan for all values: planning takes as long.
    IF p_subject_prefix IS NOT NULL AND num_nonnulls(p_scope, p_subject_id, p_project_id, p_session_id, p_key, p_key_prefix,
        p_tag, p_kind, p_recorder, p_since, p_until, v_metadata) = 0
    THEN
        PERFORM set_config('plan_cache_mode', 'force_generic_plan', true);
        firsts := ARRAY(
            SELECT y.id FROM (
                SELECT x.id, x.ts, x.chunk_index, x.subject_type, x.subject_id FROM memory_effectivechunk x
                WHERE x.tenant_id = v_tenant AND is_seen(x, p_listening, v_reader, p_include_quarantined)
                  AND x.channel = ANY (p_channels)
                  AND x.ts <= v_from AND (p_before_ts IS NULL OR x.ts < p_before_ts OR x.id < p_before_id)
                ORDER BY x.ts DESC, x.id DESC LIMIT (SELECT 500)) y
            WHERE y.chunk_index = 0 AND starts_with(y.subject_id, p_subject_prefix)
              AND (p_subject_type IS NULL OR y.subject_type = p_subject_type)
            ORDER BY y.ts DESC, y.id DESC LIMIT p_limit);
        IF cardinality(firsts) = p_limit THEN
            RETURN QUERY
            SELECT r.* FROM memory_rows(p_tenant, firsts, p_listening, v_reader, p_include_quarantined) r
            ORDER BY r.ts DESC, r.chunk_id DESC;
            RETURN;
        END IF;
        PERFORM set_config('plan_cache_mode', 'force_custom_plan', true);
    END IF;
    -- The planner must not see the limit (list_chunks).
    firsts := ARRAY(
        SELECT x.id FROM memory_effectivechunk x
        WHERE x.tenant_id = v_tenant AND is_seen(x, p_listening, v_reader, p_include_quarantined) AND x.chunk_index = 0
          AND (p_key IS NULL OR x.key IS NOT NULL AND x.key COLLATE "C" = p_key)
          AND (p_key_prefix IS NULL OR x.key IS NOT NULL AND x.key COLLATE "C" ^@ p_key_prefix)
          AND is_about(x, p_channels, p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id)
          AND (p_subject_prefix IS NULL OR starts_with(x.subject_id, p_subject_prefix))
          AND (p_tag IS NULL OR x.tags @> ARRAY[p_tag]) AND (p_recorder IS NULL OR x.recorder = p_recorder)
          AND (p_kind IS NULL OR is_of_event(x.tenant_id, x.event_id, NULL, p_kind))
          AND (p_since IS NULL OR x.ts >= p_since) AND (p_until IS NULL OR x.ts < p_until)
          AND (v_metadata IS NULL OR has_metadata(x, v_metadata))
          AND (p_before_ts IS NULL OR x.ts <= p_before_ts AND (x.ts < p_before_ts OR x.id < p_before_id))
        ORDER BY x.ts DESC, x.id DESC LIMIT (SELECT p_limit));
    RETURN QUERY
    SELECT r.* FROM memory_rows(p_tenant, firsts, p_listening, v_reader, p_include_quarantined) r
    ORDER BY r.ts DESC, r.chunk_id DESC;
END $$;
