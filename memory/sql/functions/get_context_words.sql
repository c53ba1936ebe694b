-- executable by: suture_app
-- The current text of what a bundle injected: the chunks, decisions and tasks with these ids that the reader may see.
CREATE OR REPLACE FUNCTION get_context_words(
    p_tenant uuid, p_ids uuid[], p_listening text[], p_include_quarantined boolean
) RETURNS TABLE (kind text, id uuid, text text, content_hash text)
LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
    v_tenant uuid := p_tenant;
    v_reader reader := reader_including(p_tenant, p_listening, p_include_quarantined);
BEGIN
    RETURN QUERY
    SELECT 'chunk', k.chunk_id, k.text, k.content_hash
    FROM context_chunks(v_tenant, p_ids, NULL, p_listening, v_reader, p_include_quarantined, NULL) k
    WHERE k.withheld IS NULL
    UNION ALL
    SELECT r.kind, r.id, c.body, words_hash(c.sha256, f.sha256, NULL, NULL) FROM (
        SELECT 'decision' AS kind, d.id, d.content_id, d.details_id
        FROM memory_effectivedecision d WHERE d.tenant_id = v_tenant AND d.id = ANY (p_ids)
          AND why_decision_hidden(d, p_listening, v_reader, p_include_quarantined) IS NULL
        UNION ALL
        SELECT 'task', t.id, t.content_id, t.details_id
        FROM memory_effectivetask t WHERE t.tenant_id = v_tenant AND t.id = ANY (p_ids)
          AND why_task_hidden(t, p_listening, v_reader, p_include_quarantined) IS NULL
    ) r
    CROSS JOIN LATERAL content_of(v_tenant, r.content_id) c
    LEFT JOIN LATERAL content_of(v_tenant, r.details_id) f ON true;
END $$;
