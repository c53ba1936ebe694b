-- What the memories say or have said that an agent received in a session, in the normal form, with the first delivery:
-- those of the newest 1,000 deliveries. A text of fewer than three words (Chinese or
-- Japanese: six characters) is no statement. `words` are a few of its words
-- as search has them; NULL for former texts of an edited memory.
CREATE OR REPLACE FUNCTION delivered_texts(p_tenant uuid, p_agent uuid, p_session text)
RETURNS TABLE (source_id uuid, at timestamptz, said text, words text[]) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN QUERY
    WITH given AS MATERIALIZED (
        SELECT d.chunk_id, min(d.at) AS at FROM (
            SELECT y.chunk_id, y.at FROM memory_delivery y
            WHERE y.tenant_id = p_tenant AND y.session_id = p_session AND y.receiver_id = p_agent
            ORDER BY y.at DESC LIMIT 1000) d
        GROUP BY 1
    ), source AS MATERIALIZED (
        SELECT x.id, g.at, x.text, x.content_id, x.edits_applied, tsvector_to_array(x.tsv) AS words
        FROM given g CROSS JOIN LATERAL (
            SELECT y.* FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = g.chunk_id LIMIT 1) x
    ), text AS (
        SELECT s.id, s.at, s.text AS body, ARRAY[s.words[1], s.words[cardinality(s.words) / 2 + 1],
            s.words[cardinality(s.words)]] AS words
        FROM source s WHERE s.text IS NOT NULL AND s.words <> '{}'
        UNION ALL
        SELECT s.id, s.at, span_of(c.body, k.span_start, k.span_end), NULL
        FROM source s CROSS JOIN LATERAL chunk_of(p_tenant, s.id) k
        CROSS JOIN LATERAL content_of(p_tenant, k.content_id) c WHERE s.edits_applied > 0
        UNION ALL
        SELECT s.id, s.at, c.body, NULL
        FROM source s CROSS JOIN LATERAL (
            SELECT e.content_id FROM governance_edit e
            WHERE e.tenant_id = p_tenant AND e.target_id = s.id AND e.op = 'amend' OFFSET 0) e
        CROSS JOIN LATERAL content_of(p_tenant, e.content_id) c WHERE s.edits_applied > 0
    ), normal AS MATERIALIZED (
        SELECT t.id, t.at, normal_text(t.body) AS said, t.words FROM text t
    )
    SELECT n.id, n.at, n.said, n.words FROM normal n
    WHERE regexp_count(n.said, '[[:alnum:]]+') >= 3 OR n.said ~ '[\u3040-\u9FFF]{6}';
END $$;
