-- Link chunks that an agent recorded in a session with the memories in them that it had received there before
-- (delivered_texts). A message or a tool's call or result that says nothing else is a `copy`: its source speaks for it.
-- Any other is a `quote`, which is held for review if its readers may not get what the source says (is_repeat_current),
-- now or after an edit of the source (follow_edit_of_chunk). Returns the chunks that were held. Nothing delivered costs
-- one lookup.
CREATE OR REPLACE FUNCTION link_repeats(p_tenant uuid, p_agent uuid, p_session text, p_chunks uuid[])
RETURNS SETOF uuid LANGUAGE plpgsql SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    k record;
    s record;
    rest text;
    sources uuid[];
    copies uuid[] := '{}';
    quotes uuid[] := '{}';
    quoted uuid[] := '{}';
    is_whole boolean;
BEGIN
    IF p_session IS NULL OR NOT EXISTS (
        SELECT FROM memory_delivery d
        WHERE d.tenant_id = p_tenant AND d.session_id = p_session AND d.receiver_id = p_agent)
    THEN RETURN; END IF;
    FOR k IN
        WITH new AS MATERIALIZED (
            SELECT c.id, c.total_chunks, e.recorded_at, normal_text(x.text) AS said, tsvector_to_array(x.tsv) AS words,
                e.kind IN ('message', 'tool_call', 'tool_result') AS is_said
            FROM unnest(p_chunks) i (id) CROSS JOIN LATERAL chunk_of(p_tenant, i.id) c
            CROSS JOIN LATERAL event_of(p_tenant, c.event_id) e
            CROSS JOIN LATERAL (
                SELECT y.text, y.tsv FROM memory_effectivechunk y
                WHERE y.tenant_id = p_tenant AND y.id = c.id AND y.text IS NOT NULL LIMIT 1) x
        )
        SELECT n.id, n.said, n.is_said AND n.total_chunks = 1 AS may_be_copy, m.sources, m.texts
        FROM new n CROSS JOIN LATERAL (
            SELECT array_agg(DISTINCT d.source_id) AS sources, array_agg(d.said ORDER BY length(d.said) DESC) AS texts
            FROM delivered_texts(p_tenant, p_agent, p_session) d
            WHERE d.source_id <> n.id AND d.at <= n.recorded_at AND (d.words IS NULL OR d.words <@ n.words)
              AND says(n.said, d.said)) m
        WHERE m.sources IS NOT NULL AND NOT EXISTS (
            SELECT FROM memory_relation r WHERE r.tenant_id = p_tenant AND r.later_id = n.id AND r.kind <> 'update')
        ORDER BY n.id
    LOOP
        rest := ' ' || k.said || ' ';
        FOR s IN SELECT t FROM unnest(k.texts) t LOOP rest := replace(rest, ' ' || s.t || ' ', ' '); END LOOP;
        is_whole := k.may_be_copy AND rest !~ '[[:alnum:]]';
        INSERT INTO memory_relation (tenant_id, id, kind, later_id, earlier_id, recorder_kind, recorded_by, recorder, at)
        SELECT p_tenant, new_id(), CASE WHEN is_whole THEN 'copy' ELSE 'quote' END, k.id, i.id, c.recorder_kind,
            c.recorded_by, c.recorder, clock_timestamp()
        FROM unnest(k.sources) i (id) CROSS JOIN LATERAL chunk_of(p_tenant, k.id) c
        ON CONFLICT (tenant_id, later_id, earlier_id) DO NOTHING;
        IF is_whole THEN
            PERFORM refold_memory(p_tenant, c.event_id, c.id) FROM chunk_of(p_tenant, k.id) c;
        ELSE
            quotes := quotes || k.id;
            quoted := quoted || k.sources;
        END IF;
    END LOOP;
    IF quotes <> '{}' THEN RETURN QUERY SELECT h FROM hold_quotes(p_tenant, quoted, quotes) h; END IF;
END $$;
