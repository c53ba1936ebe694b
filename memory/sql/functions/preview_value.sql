-- executable by: suture_app
-- Where a value stands, within p_reach (record_value): the chunks of memory by kind, notes of capsules and texts of
-- pending edits (`places_of_value_in_<app>`), newest first; `is_near`: they have its words, but not in a row. `line` is the
-- text around it, with `received_by`, the agents and people who have received the memory (at most ten), for the newest
-- p_shown. p_listening limits the result to what the caller would find; it is NULL for people, who read all memory.
CREATE OR REPLACE FUNCTION preview_value(
    p_tenant uuid, p_value text, p_reach jsonb, p_listening text[], p_limit int, p_shown int
) RETURNS TABLE (
    kind text, record_id uuid, line text, recorder text, recorded_by uuid, ts timestamptz, is_near boolean,
    edits_applied int, received_by text[]
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v memory_value := jsonb_populate_record(NULL::memory_value, p_reach);
    words text[] := value_words(p_value);
    v_reader reader := reader_of(p_tenant, p_listening);
    step text;
BEGIN
    PERFORM require_value(p_tenant, p_value);
    RETURN QUERY
    SELECT CASE WHEN x.source = 'event' THEN CASE e.kind WHEN 'task_update' THEN 'task' WHEN 'decision' THEN 'decision'
            WHEN 'artifact' THEN 'artifact' ELSE 'message' END ELSE x.source END,
        x.id, CASE WHEN x.n <= p_shown THEN line_saying(x.text, words) END, x.recorder, x.recorded_by, x.ts, NOT x.is_said,
        x.edits_applied, ARRAY(SELECT DISTINCT d.receiver FROM (
            SELECT y.receiver FROM memory_delivery y WHERE y.tenant_id = p_tenant AND y.chunk_id = x.id AND x.n <= p_shown LIMIT 50) d
            ORDER BY 1 LIMIT 10)
    FROM (
        SELECT y.*, s.is_said, row_number() OVER (ORDER BY s.is_said DESC, y.ts DESC, y.id DESC) AS n
        FROM chunks_saying(p_tenant, v, words, p_limit) s
        CROSS JOIN LATERAL (
            SELECT z.* FROM memory_effectivechunk z WHERE z.tenant_id = p_tenant AND z.id = s.chunk_id LIMIT 1) y
        WHERE p_listening IS NULL
            OR y.channel = ANY (p_listening) AND is_seen(y, p_listening, v_reader, true)
    ) x
    LEFT JOIN LATERAL event_of(p_tenant, x.event_id) e ON true
    ORDER BY x.n;
    IF p_listening IS NULL THEN
        FOR step IN SELECT n FROM functions_beginning('places_of_value_in_') n LOOP
            RETURN QUERY EXECUTE format('SELECT * FROM %I($1, $2)', step) USING p_tenant, words;
        END LOOP;
    END IF;
END $$;
