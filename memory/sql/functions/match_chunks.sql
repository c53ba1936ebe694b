-- executable by: suture_app
-- The chunks that an edit by filter would edit, oldest first, with their events: not retracted, recorded after
-- p_after_id and up to p_until_id (ids are in order of time, so records made after a preview are not in its commit).
-- p_phrase matches effective text. Includes superseded chunks: they would return if their successor is retracted.
-- p_listening limits the result to what the caller would find by search, because even a count reveals words; it is NULL
-- for people, who read all memory.
CREATE OR REPLACE FUNCTION match_chunks(
    p_tenant uuid, p_recorder text, p_scope text, p_subject_type text, p_subject_id text, p_project_id text,
    p_session_id text, p_channel text, p_since timestamptz, p_until timestamptz, p_phrase text, p_after_id uuid, p_until_id uuid,
    p_listening text[], p_limit int
) RETURNS TABLE (chunk_id uuid, event_id uuid) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v_reader reader := reader_of(p_tenant, p_listening);
    v_tenant uuid := p_tenant;
    q tsquery := phraseto_tsquery(search_language(p_tenant), spaced_text(word_text(p_phrase)));
    terms tsquery := word_query(p_tenant, q) && filter_query(p_tenant, CASE WHEN p_channel IS NOT NULL THEN ARRAY[p_channel] END,
        p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id);
BEGIN
    RETURN QUERY
    SELECT x.id, x.event_id FROM (
        SELECT y.* FROM memory_effectivechunk y
        WHERE (p_phrase IS NOT NULL OR y.tenant_id = v_tenant) AND y.superseded_by IS NULL
          AND (p_phrase IS NULL OR has_terms(y, v_tenant, terms))
          AND (p_listening IS NULL
               OR y.channel = ANY (p_listening) AND is_seen(y, p_listening, v_reader, true))
        UNION ALL  -- superseded chunks are in no index of words
        SELECT y.* FROM memory_effectivechunk y
        WHERE y.tenant_id = v_tenant AND y.is_superseded
          AND y.id IN (SELECT s.superseded_id FROM memory_supersession s WHERE s.tenant_id = v_tenant
                       UNION ALL SELECT r.earlier_id FROM memory_relation r WHERE r.tenant_id = v_tenant AND r.kind = 'update')
          AND (p_listening IS NULL OR y.recorded_by = (acting(p_tenant)).id
               AND y.channel = ANY (p_listening) AND is_seen_in_chain(y, p_listening, v_reader, true, true))
    ) x
    WHERE NOT x.is_retracted AND x.id <= p_until_id
      AND (p_after_id IS NULL OR x.id > p_after_id)
      AND (p_recorder IS NULL OR x.recorder = p_recorder)
      AND (p_scope IS NULL OR x.scope = p_scope)
      AND (p_subject_type IS NULL OR x.subject_type = p_subject_type)
      AND (p_subject_id IS NULL OR x.subject_id = p_subject_id)
      AND (p_project_id IS NULL OR x.project_id = p_project_id)
      AND (p_session_id IS NULL OR x.session_id = p_session_id)
      AND (p_channel IS NULL OR x.channel = p_channel)
      AND (p_since IS NULL OR x.ts >= p_since) AND (p_until IS NULL OR x.ts < p_until)
      AND (p_phrase IS NULL OR x.tsv @@ q)
    ORDER BY x.id LIMIT p_limit;
END $$;
