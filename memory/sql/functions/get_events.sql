-- executable by: suture_app
-- Events by distinct ids with their words, of those whose audience the reader hears. `withheld` says why an event has none; an amended memory has its effective text and
-- no other content field, because those may repeat what was corrected. Guards change texts and fields alike.
CREATE OR REPLACE FUNCTION get_events(
    p_tenant uuid, p_ids uuid[], p_listening text[], p_include_quarantined boolean
) RETURNS TABLE (event_id uuid, withheld text, text text, fields text, is_amended boolean, edits_applied int,
    tags text[], refs text[])
LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
    v_tenant uuid := p_tenant;
    v_reader reader := reader_including(p_tenant, p_listening, p_include_quarantined);
BEGIN
    RETURN QUERY
    WITH state AS (
        SELECT e.id, e.content_id, e.fields_id, e AS event, coalesce(m.amended, false) AS amended,
            coalesce(m.corrected, false) AS corrected,
            coalesce(m.edits, 0) AS edits, coalesce(m.erased, false) AS erased,
            -- a hidden chunk hides its event; a superseded chunk does not
            why_hidden(CASE WHEN m.chunks > 0 THEN m.audience ELSE e.audience END, m.retracted, false, coalesce(m.blocked, '{}'), m.quarantined, e.channel, e.sensitivity,
                p_listening, v_reader, p_include_quarantined) AS hidden
        FROM unnest(p_ids) AS i (id) CROSS JOIN LATERAL event_of(v_tenant, i.id) e LEFT JOIN LATERAL (
            SELECT count(*) AS chunks, string_to_array(string_agg(array_to_string(x.audience, ','), ','), ',')::int[]
                AS audience, bool_or(x.is_retracted OR x.expires_at <= statement_timestamp()) AS retracted, bool_or(x.is_quarantined) AS quarantined,
                string_to_array(string_agg(array_to_string(x.blocked_channels, ','), ','), ',') AS blocked,
                bool_or(x.content_id <> k.content_id) AS amended,
                bool_or(NOT is_own_text(v_tenant, k.content_id, x.content_id)) AS corrected,
                sum(x.edits_applied)::int AS edits, bool_or(c.id IS NULL) AS erased
            FROM (SELECT y.id, y.content_id FROM memory_chunk y
                  WHERE y.tenant_id = v_tenant AND y.event_id = e.id OFFSET 0) k
            CROSS JOIN LATERAL (
                SELECT y.* FROM memory_effectivechunk y WHERE y.tenant_id = v_tenant AND y.id = k.id LIMIT 1) x
            LEFT JOIN LATERAL content_of(v_tenant, x.content_id) c ON true
        ) m ON true
    ), seen AS (
        SELECT s.*, t.body AS text, f.body AS fields, CASE
            WHEN s.hidden = 'audience' THEN 'audience'
            WHEN s.erased OR NOT s.corrected AND (
                s.content_id IS NOT NULL AND t.id IS NULL OR s.fields_id IS NOT NULL AND f.id IS NULL) THEN 'erased' ELSE s.hidden END AS why
        FROM state s
        LEFT JOIN LATERAL content_left(v_tenant, s.content_id, s.id) t ON true
        LEFT JOIN LATERAL content_left(v_tenant, s.fields_id, s.id) f ON true
    )
    SELECT s.id, s.why,
        CASE WHEN s.why IS NOT NULL THEN NULL
             WHEN s.corrected THEN amended_text(v_tenant, s.id)
             WHEN s.amended THEN (reworded(v_tenant, s.text, place_of_event(s.event))).text
             ELSE s.text END,
        CASE WHEN s.why IS NULL AND NOT s.corrected THEN
            CASE WHEN has_guards(v_tenant) THEN reworded_json(v_tenant, s.fields::jsonb, place_of_event(s.event))::text
            ELSE s.fields END END,
        s.amended, s.edits, kept_tags(v_tenant, (s.event).tags, place_of_event(s.event)),
        kept_tags(v_tenant, (s.event).refs, place_of_event(s.event))
    FROM seen s WHERE s.why IS DISTINCT FROM 'audience';
END $$;
