-- What the memories say or have said that an agent received in a session, with the first delivery of each: those of the
-- newest 1,000 deliveries. `words` are three of its words as search has them.
CREATE OR REPLACE FUNCTION delivered_texts(p_tenant uuid, p_agent uuid, p_session text)
RETURNS TABLE (source_id uuid, at timestamptz, body text, words text[]) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE spoken regconfig := search_language(p_tenant);
BEGIN
    RETURN QUERY
    WITH given AS MATERIALIZED (
        SELECT d.chunk_id, min(d.at) AS at FROM (
            SELECT y.chunk_id, y.at FROM memory_delivery y
            WHERE y.tenant_id = p_tenant AND y.session_id = p_session AND y.receiver_id = p_agent
            ORDER BY y.at DESC LIMIT 1000) d
        GROUP BY 1
    ), source AS MATERIALIZED (
        SELECT x.id, g.at, x.text, x.tsv, x.edits_applied FROM given g CROSS JOIN LATERAL (
            SELECT y.* FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = g.chunk_id LIMIT 1) x
    ), said AS (
        SELECT s.id, s.at, s.text AS body, s.tsv FROM source s WHERE s.text IS NOT NULL
        UNION ALL
        SELECT s.id, s.at, f.body, text_vector(spoken, f.body) FROM source s CROSS JOIN LATERAL (
            SELECT span_of(c.body, k.span_start, k.span_end) AS body
            FROM chunk_of(p_tenant, s.id) k CROSS JOIN LATERAL content_of(p_tenant, k.content_id) c
            UNION ALL
            SELECT c.body FROM (
                SELECT y.content_id FROM governance_edit y
                WHERE y.tenant_id = p_tenant AND y.target_id = s.id AND y.op = 'amend' OFFSET 0) e
            CROSS JOIN LATERAL content_of(p_tenant, e.content_id) c) f
        WHERE s.edits_applied > 0
    )
    SELECT t.id, t.at, t.body, ARRAY[w.list[1], w.list[cardinality(w.list) / 2 + 1], w.list[cardinality(w.list)]]
    FROM said t CROSS JOIN LATERAL (SELECT tsvector_to_array(t.tsv) AS list OFFSET 0) w WHERE w.list <> '{}';
END $$;
