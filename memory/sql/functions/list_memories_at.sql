-- executable by: suture_app
-- Like list_memories, as of an earlier time. No index has what an edit hid since, so it reads the tenant's rows.
CREATE OR REPLACE FUNCTION list_memories_at(
    p_tenant uuid, p_at timestamptz, p_listening text[], p_channels text[], p_include_quarantined boolean, p_scope text,
    p_subject_type text, p_subject_id text, p_subject_prefix text, p_project_id text, p_session_id text, p_key text, p_key_prefix text,
    p_tag text, p_kind text, p_recorder text, p_since timestamptz, p_until timestamptz, p_metadata text,
    p_before_ts timestamptz, p_before_id uuid, p_limit int
) RETURNS SETOF memory_row LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    v_reader reader := past_reader(p_tenant, p_listening, p_include_quarantined);
    f search_filter := (p_listening, v_reader, p_channels, p_include_quarantined, p_scope, p_subject_type, p_subject_id,
        p_project_id, p_session_id, true, NULL, p_tag, p_recorder, NULL, NULL, p_kind, p_since, p_until, NULL,
        NULL, NULL, p_subject_prefix);
    x record;
    m memory_row;
    given int := 0;
BEGIN
    PERFORM require_tenant(p_tenant);
    FOR x IN
        SELECT y.id FROM memory_effectivechunk y
        WHERE y.tenant_id = v_tenant AND y.chunk_index = 0 AND recorded_at(y.id) <= p_at AND is_filtered(y, f)
          AND (p_key IS NULL OR y.key = p_key) AND (p_key_prefix IS NULL OR starts_with(y.key, p_key_prefix))
          AND (p_metadata IS NULL OR had_metadata(y, p_metadata::jsonpath))
          AND (p_before_ts IS NULL OR y.ts <= p_before_ts AND (y.ts < p_before_ts OR y.id < p_before_id))
        ORDER BY y.ts DESC, y.id DESC
    LOOP
        FOR m IN SELECT * FROM memory_at(p_tenant, x.id, p_at, p_listening, v_reader, p_include_quarantined) LOOP
            RETURN NEXT m;
            given := given + 1;
        END LOOP;
        EXIT WHEN given >= p_limit;
    END LOOP;
END $$;
