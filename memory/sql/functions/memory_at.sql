-- The memory with this first chunk as its readers got it at a time; no row if it was not recorded yet, or was hidden,
-- expired or replaced. Erased words are gone, and what is forgotten today is forgotten in the past, too.
CREATE OR REPLACE FUNCTION memory_at(
    p_tenant uuid, p_first uuid, p_at timestamptz, p_listening text[], p_reader reader, p_include_quarantined boolean
) RETURNS SETOF memory_row LANGUAGE plpgsql STABLE SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    k memory_chunk;
    x memory_effectivechunk;
    e memory_event;
    said record;
    whole text;
    fields jsonb;
BEGIN
    SELECT * INTO k FROM chunk_of(p_tenant, p_first);
    IF k.id IS NULL OR recorded_at(k.id) > p_at OR is_replaced_at(p_tenant, k, p_at) THEN RETURN; END IF;
    SELECT y.* INTO x FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = k.id;
    IF x.expires_at <= p_at THEN RETURN; END IF;
    SELECT * INTO e FROM event_of(p_tenant, k.event_id);
    WITH folded AS MATERIALIZED (
        SELECT c.id, c.chunk_index, c.span_start, c.span_end, f.edits_applied, f.importance, f.is_quarantined,
            f.content_id IS NULL AS is_own, coalesce(f.content_id, c.content_id) AS content_id,
            f.is_retracted OR f.is_quarantined OR f.blocked_channels <> '{}' OR f.content_id IS NOT NULL
                OR f.audience IS NOT NULL AS is_edited,
            why_hidden(coalesce(f.audience, c.audience), f.is_retracted, false, f.blocked_channels, f.is_quarantined,
                c.channel, c.sensitivity, p_listening, p_reader, p_include_quarantined) AS hidden
        FROM unnest(memory_with(p_tenant, k.id)) i (id) CROSS JOIN LATERAL chunk_of(p_tenant, i.id) c
        CROSS JOIN LATERAL fold_at(p_tenant, c, p_at) f
    ), beside AS (  -- the words that two chunks share are said once, or not at all if one of them is edited (fold_memory)
        SELECT f.*,
            CASE WHEN bool_and(f.hidden IS NULL) OVER () OR lag(f.is_edited) OVER places
                THEN lag(f.span_end) OVER places END AS before_end,
            CASE WHEN lead(f.is_edited) OVER places THEN lead(f.span_start) OVER places END AS edited_start,
            -- the text of an amended decision is said once
            f.is_own OR row_number() OVER (PARTITION BY f.content_id ORDER BY f.chunk_index) = 1 AS is_first
        FROM folded f WINDOW places AS (ORDER BY f.chunk_index)
    ), shown AS (
        SELECT b.*, w.words FROM beside b CROSS JOIN LATERAL content_left(p_tenant, b.content_id, b.id) c
        CROSS JOIN LATERAL (SELECT CASE WHEN b.is_own
            THEN span_of(c.body, greatest(b.span_start, b.before_end), least(b.span_end, b.edited_start))
            ELSE c.body END AS words) w
        WHERE b.hidden IS NULL AND b.is_first AND w.words <> ''
    )
    SELECT array_agg(s.id ORDER BY s.chunk_index) AS ids, array_agg(s.edits_applied ORDER BY s.chunk_index) AS edits,
        string_agg(s.words, E'\n' ORDER BY s.chunk_index) AS text, bool_or(s.id = k.id) AS has_first,
        bool_or(s.edits_applied > 0) AS is_edited,
        bool_and(s.is_own) AND count(*) = (SELECT count(*) FROM folded) AS is_whole,
        (array_agg(s.importance ORDER BY s.chunk_index))[1] AS importance,
        (array_agg(s.is_quarantined ORDER BY s.chunk_index))[1] AS is_quarantined
    INTO said FROM shown s;
    IF said.has_first IS NOT TRUE THEN RETURN; END IF;
    IF said.is_whole AND e.id IS NOT NULL THEN
        whole := (SELECT c.body FROM content_left(p_tenant, e.content_id, e.id) c);
        fields := (SELECT c.body::jsonb FROM content_left(p_tenant, e.fields_id, e.id) c);
        IF has_guards(p_tenant) THEN fields := reworded_json(p_tenant, fields, place_of_event(e)); END IF;
    END IF;
    x.metadata := (labels_of_event(p_tenant, e.id)).metadata;
    RETURN QUERY SELECT k.id, k.event_id, said.ids::uuid[], said.edits::int[],
        (reworded(p_tenant, coalesce(whole, said.text), place_of_chunk(k))).text, fields::text, metadata_to_read(x)::text,
        x.key, e.kind, k.source, k.scope, k.subject_type, k.subject_id, k.project_id, k.session_id, k.channel,
        kept_tags(p_tenant, k.tags, place_of_chunk(k)), said.importance::numeric, k.recorder, k.ts,
        least(k.ts, (
            SELECT min(c.ts) FROM unnest(versions_with(p_tenant, k.id)) v (id) CROSS JOIN LATERAL chunk_of(p_tenant, v.id) c
            WHERE recorded_at(c.id) <= p_at AND NOT (fold_at(p_tenant, c, p_at)).is_retracted)),
        CASE WHEN said.is_edited THEN (
            SELECT max(a.applied_at) FROM applied_edits(p_tenant, said.ids::uuid[], p_at) a) END, x.expires_at,
        said.is_quarantined::boolean;
END $$;
