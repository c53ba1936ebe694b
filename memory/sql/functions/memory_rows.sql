-- The memories with these first chunks that a reader gets, in no particular order, each with the chunks of it that the reader
-- gets. Without one of them, or after a correction, it has no fields, which might repeat what was hidden or corrected.
CREATE OR REPLACE FUNCTION memory_rows(
    p_tenant uuid, p_firsts uuid[], p_listening text[], p_reader reader, p_include_quarantined boolean
) RETURNS SETOF memory_row LANGUAGE plpgsql STABLE SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    RETURN QUERY
    WITH first AS MATERIALIZED (
        SELECT x.* FROM unnest(p_firsts) i (id) CROSS JOIN LATERAL (
            SELECT y.* FROM memory_effectivechunk y WHERE y.tenant_id = v_tenant AND y.id = i.id
              AND is_seen(y, p_listening, p_reader, p_include_quarantined) LIMIT 1) x
    ), said AS MATERIALIZED (
        SELECT g.* FROM get_events(v_tenant,
            ARRAY(SELECT f.event_id FROM first f WHERE f.event_id IS NOT NULL), p_listening, p_include_quarantined) g
        WHERE g.withheld IS NULL
    )
    SELECT x.id, x.event_id, coalesce(k.ids, ARRAY[x.id]), coalesce(k.edits, ARRAY[x.edits_applied]),
        CASE WHEN g.event_id IS NULL THEN coalesce(k.text, x.text)
            ELSE coalesce(g.text, amended_text(v_tenant, x.event_id)) END,
        g.fields, metadata_to_read(x)::text, x.key, e.kind, x.source, x.scope, x.subject_type, x.subject_id,
        x.project_id, x.session_id, x.channel, x.tags, x.importance, x.recorder, x.ts,
        created_first(v_tenant, x.id, p_reader),
        CASE WHEN coalesce(k.edited, x.edits_applied > 0) THEN (
            SELECT max(a.applied_at) FROM applied_edits(v_tenant, coalesce(k.ids, ARRAY[x.id]), NULL) a) END,
        x.expires_at, x.is_quarantined
    FROM first x
    LEFT JOIN said g ON g.event_id = x.event_id
    LEFT JOIN LATERAL event_of(v_tenant, x.event_id) e ON true
    LEFT JOIN LATERAL (
        SELECT array_agg(y.id ORDER BY y.chunk_index) AS ids, array_agg(y.edits_applied ORDER BY y.chunk_index) AS edits,
            string_agg(y.text, E'\n' ORDER BY y.chunk_index) AS text, bool_or(y.edits_applied > 0) AS edited
        FROM effective_chunks_of(v_tenant, x.event_id) y
        WHERE is_seen(y, p_listening, p_reader, p_include_quarantined)) k ON x.event_id IS NOT NULL;
END $$;
