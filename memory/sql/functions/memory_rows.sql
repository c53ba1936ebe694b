-- The memories with these first chunks that a reader gets, in no particular order, each with the chunks of it that the reader
-- gets. Without one of them, or after a correction, it has no fields, which might repeat what was hidden or corrected.
CREATE OR REPLACE FUNCTION memory_rows(
    p_tenant uuid, p_firsts uuid[], p_listening text[], p_reader reader, p_include_quarantined boolean
) RETURNS SETOF memory_row LANGUAGE plpgsql STABLE SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    is_guarded boolean := has_guards(p_tenant);
BEGIN
    RETURN QUERY
    WITH first AS MATERIALIZED (
        SELECT x.*, e.kind, k.*, t.body, f.body AS fields,
            -- The reader gets all chunks as they were recorded, so get_events would answer the event as it was recorded.
            coalesce(k.is_whole AND NOT is_guarded AND (x.channel, x.sensitivity) = (e.channel, e.sensitivity)
                AND t.id IS NOT NULL AND (e.fields_id IS NULL OR f.id IS NOT NULL), false) AS is_as_recorded
        FROM unnest(p_firsts) i (id) CROSS JOIN LATERAL (
            SELECT y.*, y AS whole FROM memory_effectivechunk y WHERE y.tenant_id = v_tenant AND y.id = i.id
              AND is_seen(y, p_listening, p_reader, p_include_quarantined) LIMIT 1) x
        LEFT JOIN LATERAL event_of(v_tenant, x.event_id) e ON true
        LEFT JOIN LATERAL (
            SELECT array_agg(y.id ORDER BY y.chunk_index) FILTER (WHERE s.is_seen) AS chunk_ids,
                array_agg(y.edits_applied ORDER BY y.chunk_index) FILTER (WHERE s.is_seen) AS edits,
                string_agg(y.text, E'\n' ORDER BY y.chunk_index) FILTER (WHERE s.is_seen) AS texts,
                bool_or(y.edits_applied > 0) FILTER (WHERE s.is_seen) AS edited,
                bool_and(s.is_seen AND y.edits_applied = 0 AND y.content_id = e.content_id) AS is_whole
            FROM effective_chunks_of(v_tenant, x.event_id) y
            CROSS JOIN LATERAL (
                SELECT is_seen(y, p_listening, p_reader, p_include_quarantined) AS is_seen) s) k ON x.event_id IS NOT NULL
        LEFT JOIN LATERAL content_of(v_tenant, e.content_id) t ON true
        LEFT JOIN LATERAL content_of(v_tenant, e.fields_id) f ON true
    ), said AS MATERIALIZED (
        SELECT g.* FROM (SELECT ARRAY(
            SELECT x.event_id FROM first x WHERE x.event_id IS NOT NULL AND NOT x.is_as_recorded) AS ids OFFSET 0) i
        CROSS JOIN LATERAL get_events(v_tenant, i.ids, p_listening, p_include_quarantined) g
        WHERE i.ids <> '{}' AND g.withheld IS NULL
    )
    SELECT x.id, x.event_id, coalesce(x.chunk_ids, ARRAY[x.id]), coalesce(x.edits, ARRAY[x.edits_applied]),
        CASE WHEN x.is_as_recorded THEN x.body
            WHEN g.event_id IS NULL THEN coalesce(x.texts, x.text)
            ELSE coalesce(g.text, amended_text(v_tenant, x.event_id)) END,
        CASE WHEN x.is_as_recorded THEN x.fields ELSE g.fields END,
        metadata_to_read(x.whole)::text, x.key, x.kind, x.source, x.scope, x.subject_type, x.subject_id,
        x.project_id, x.session_id, x.channel, x.tags, x.importance, x.recorder, x.ts,
        -- no EXISTS, for which the planner would read all relations of the tenant
        CASE WHEN b.ts IS NOT NULL THEN b.ts
            WHEN (SELECT r.id FROM memory_relation r WHERE r.tenant_id = v_tenant AND r.later_id = x.id LIMIT 1) IS NULL
            THEN x.ts ELSE created_first(v_tenant, x.id, p_reader) END,
        CASE WHEN coalesce(x.edited, x.edits_applied > 0) THEN (
            SELECT max(a.applied_at) FROM applied_edits(v_tenant, coalesce(x.chunk_ids, ARRAY[x.id]), NULL) a) END,
        x.expires_at, x.is_quarantined
    FROM first x LEFT JOIN said g ON g.event_id = x.event_id
    LEFT JOIN LATERAL first_with_key(v_tenant, x.id, p_reader) b ON true;
END $$;
