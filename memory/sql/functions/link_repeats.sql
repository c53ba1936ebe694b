-- Link chunks that an agent recorded in a session with the memories in them that it had received there before
-- (delivered_texts). A message or a tool's call or result that says nothing else is a `copy`: its source speaks for it.
-- Any other is a `quote`, which is held for review if its readers may not get what the source says (is_repeat_current),
-- now or after an edit of the source (follow_edit_of_chunk). Returns the chunks that were held. A text of fewer
-- than three words (Chinese or Japanese: six characters) is no statement. Nothing delivered costs one lookup.
CREATE OR REPLACE FUNCTION link_repeats(p_tenant uuid, p_agent uuid, p_session text, p_chunks uuid[])
RETURNS SETOF uuid LANGUAGE plpgsql SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    k record;
    s record;
    rest text;
    sources uuid[];
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
            SELECT c.id, c.total_chunks, e.recorded_at, x.text, tsvector_to_array(x.tsv) AS words,
                e.kind IN ('message', 'tool_call', 'tool_result') AS is_said
            FROM unnest(p_chunks) i (id) CROSS JOIN LATERAL chunk_of(p_tenant, i.id) c
            CROSS JOIN LATERAL event_of(p_tenant, c.event_id) e
            CROSS JOIN LATERAL (
                SELECT y.text, y.tsv FROM memory_effectivechunk y
                WHERE y.tenant_id = p_tenant AND y.id = c.id AND y.text IS NOT NULL LIMIT 1) x
        ), word AS MATERIALIZED (
            SELECT n.id, w.word FROM new n CROSS JOIN LATERAL unnest(n.words) w (word)
        ), near AS MATERIALIZED (  -- normal forms cost most, so only of texts that share words
            SELECT n.id, d.source_id, normal_text(d.body) AS said
            FROM delivered_texts(p_tenant, p_agent, p_session) d
            JOIN word w ON w.word = d.words[3] JOIN new n ON n.id = w.id
            WHERE d.words <@ n.words AND d.source_id <> n.id AND d.at <= n.recorded_at
        ), told AS MATERIALIZED (
            SELECT n.id, normal_text(n.text) AS said, n.is_said AND n.total_chunks = 1 AS may_be_copy
            FROM new n WHERE n.id IN (SELECT x.id FROM near x)
        )
        SELECT t.id, t.said, t.may_be_copy, array_agg(DISTINCT x.source_id) AS sources,
            array_agg(x.said ORDER BY length(x.said) DESC) AS texts
        FROM told t JOIN near x ON x.id = t.id
        WHERE says(t.said, x.said)
          AND (regexp_count(x.said, '[[:alnum:]]+') >= 3 OR x.said ~ '[\u3040-\u9FFF]{6}')
        GROUP BY 1, 2, 3 ORDER BY 1
    LOOP
        rest := ' ' || k.said || ' ';
        FOR s IN SELECT t FROM unnest(k.texts) t LOOP rest := replace(rest, ' ' || s.t || ' ', ' '); END LOOP;
        is_whole := k.may_be_copy AND rest !~ '[[:alnum:]]';
        WITH linked AS (
            INSERT INTO memory_relation AS r (tenant_id, id, kind, later_id, earlier_id, recorder_kind, recorded_by,
                recorder, at)
            SELECT p_tenant, new_id(), CASE WHEN is_whole THEN 'copy' ELSE 'quote' END, k.id, i.id, c.recorder_kind,
                c.recorded_by, c.recorder, clock_timestamp()
            FROM unnest(k.sources) i (id) CROSS JOIN LATERAL chunk_of(p_tenant, k.id) c
            ON CONFLICT (tenant_id, later_id, earlier_id) DO NOTHING
            RETURNING r.earlier_id)
        SELECT array_agg(l.earlier_id) INTO sources FROM linked l;
        CONTINUE WHEN sources IS NULL;  -- linked before
        IF is_whole THEN
            PERFORM refold_memory(p_tenant, c.event_id, c.id) FROM chunk_of(p_tenant, k.id) c;
        ELSE
            -- its readers must hear what it quotes
            PERFORM refold_memory(p_tenant, c.event_id, c.id) FROM chunk_of(p_tenant, k.id) c;
            quotes := quotes || k.id;
            quoted := quoted || sources;
        END IF;
    END LOOP;
    IF quotes <> '{}' THEN RETURN QUERY SELECT h FROM hold_quotes(p_tenant, quoted, quotes) h; END IF;
END $$;
