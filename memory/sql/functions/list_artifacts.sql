-- executable by: suture_app
-- The newest artifacts that match the filters and that the reader may see, from (p_before_ts, p_before_id) on
-- downwards: one page of a list. An artifact is hidden when a chunk of its event is, as in get_events. Its name is NULL
-- if its memory was amended, because the name may repeat what was corrected.
CREATE OR REPLACE FUNCTION list_artifacts(
    p_tenant uuid, p_listening text[], p_channels text[], p_include_quarantined boolean, p_media_type text,
    p_scope text, p_subject_type text, p_subject_id text, p_project_id text, p_session_id text,
    p_since timestamptz, p_until timestamptz, p_before_ts timestamptz, p_before_id uuid, p_limit int
) RETURNS TABLE (
    artifact_id uuid, name text, media_type text, ts timestamptz, is_quarantined boolean, edits_applied int,
    event_id uuid, scope text, subject_type text, subject_id text, project_id text, session_id text, channel text
) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    v_reader reader := reader_including(p_tenant, p_listening, p_include_quarantined);
BEGIN
    RETURN QUERY
    SELECT n.id, CASE WHEN NOT m.amended THEN (reworded(v_tenant, c.body, place_of_record(v_tenant, n.id))).text END, n.media_type, n.ts, m.quarantined, m.edits, n.event_id,
        n.scope, n.subject_type, n.subject_id, n.project_id, n.session_id, n.channel
    FROM (
        SELECT x.* FROM memory_artifact x
        WHERE x.tenant_id = v_tenant AND x.channel = ANY (p_channels)
          AND NOT EXISTS (
              SELECT FROM effective_chunks_of(v_tenant, x.event_id) k
              WHERE why_hidden(k.audience, k.is_retracted, false, k.blocked_channels, k.is_quarantined, k.channel, k.sensitivity, p_listening,
                    v_reader, p_include_quarantined) IS NOT NULL)
          AND (p_media_type IS NULL OR x.media_type = p_media_type) AND (p_scope IS NULL OR x.scope = p_scope)
          AND (p_subject_type IS NULL OR x.subject_type = p_subject_type)
          AND (p_subject_id IS NULL OR x.subject_id = p_subject_id)
          AND (p_project_id IS NULL OR x.project_id = p_project_id)
          AND (p_session_id IS NULL OR x.session_id = p_session_id)
          AND (p_since IS NULL OR x.ts >= p_since) AND (p_until IS NULL OR x.ts < p_until)
          AND (p_before_ts IS NULL OR x.ts <= p_before_ts AND (x.ts < p_before_ts OR x.id < p_before_id))
        ORDER BY x.ts DESC, x.id DESC LIMIT (SELECT p_limit)
    ) n
    CROSS JOIN LATERAL content_left(v_tenant, n.content_id, n.id) c
    CROSS JOIN LATERAL (
        SELECT coalesce(bool_or(NOT is_own_text(v_tenant, r.content_id, k.content_id)), false) AS amended,
            coalesce(bool_or(k.is_quarantined), false) AS quarantined, coalesce(sum(k.edits_applied), 0)::int AS edits
        FROM effective_chunks_of(v_tenant, n.event_id) k CROSS JOIN LATERAL chunk_of(v_tenant, k.id) r
    ) m
    ORDER BY n.ts DESC, n.id DESC;
END $$;
