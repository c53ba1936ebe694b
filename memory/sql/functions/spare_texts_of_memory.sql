-- Before an erasure by value deletes texts, record what it leaves of each for every record of memory that has it
-- (spare_text). Neighbouring chunks of a long text share words: the first one keeps them.
CREATE OR REPLACE FUNCTION spare_texts_of_memory(p_tenant uuid, p_erasure uuid) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER AS $$
DECLARE contents uuid[];
BEGIN
    PERFORM require_tenant(p_tenant);
    IF NOT EXISTS (SELECT FROM governance_erasure e
                   WHERE e.tenant_id = p_tenant AND e.id = p_erasure AND e.named_by = 'value') THEN RETURN; END IF;
    contents := ARRAY(SELECT DISTINCT i.content_id FROM governance_erasureitem i
        WHERE i.tenant_id = p_tenant AND i.erasure_id = p_erasure);
    PERFORM spare_text(p_tenant, k.content_id, k.id, false, greatest(k.span_start, (
            SELECT max(b.span_end) FROM memory_chunk b
            WHERE b.tenant_id = p_tenant AND b.event_id = k.event_id AND b.chunk_index < k.chunk_index)), k.span_end)
    FROM memory_chunk k WHERE k.tenant_id = p_tenant AND k.content_id = ANY (contents);
    PERFORM spare_text(p_tenant, w.content_id, r.id, w.is_json)
    FROM (
        SELECT e.id, e.content_id, e.fields_id FROM memory_event e WHERE e.tenant_id = p_tenant
        UNION ALL
        SELECT d.id, d.content_id, d.details_id FROM memory_decision d WHERE d.tenant_id = p_tenant
        UNION ALL
        SELECT t.id, t.content_id, t.details_id FROM memory_task t WHERE t.tenant_id = p_tenant
        UNION ALL
        SELECT a.id, a.content_id, NULL FROM memory_artifact a WHERE a.tenant_id = p_tenant
    ) r CROSS JOIN LATERAL (VALUES (r.content_id, false), (r.fields_id, true)) w (content_id, is_json)
    WHERE w.content_id = ANY (contents);
    -- all chunks and typed records of a memory show an amended text
    PERFORM spare_text(p_tenant, x.content_id, r.id, false)
    FROM (
        SELECT y.content_id, k.id AS chunk_id, k.event_id FROM governance_edit y
        JOIN memory_chunk k ON k.tenant_id = p_tenant AND k.id = y.target_id
        WHERE y.tenant_id = p_tenant AND y.content_id = ANY (contents)
        UNION ALL
        SELECT y.content_id, NULL, d.event_id FROM governance_edit y
        JOIN memory_decision d ON d.tenant_id = p_tenant AND d.id = y.target_id
        WHERE y.tenant_id = p_tenant AND y.content_id = ANY (contents)
    ) x CROSS JOIN LATERAL (
        SELECT unnest(chunks_of_memory(p_tenant, x.event_id, x.chunk_id)) AS id
        UNION ALL
        SELECT d.id FROM memory_decision d WHERE d.tenant_id = p_tenant AND d.event_id = x.event_id
        UNION ALL
        SELECT t.id FROM memory_task t WHERE t.tenant_id = p_tenant AND t.event_id = x.event_id) r;
    -- what an earlier erasure left
    PERFORM spare_text(p_tenant, r.id, r.record_id, coalesce(r.content_id IN (
            SELECT e.fields_id FROM memory_event e WHERE e.tenant_id = p_tenant AND e.id = r.record_id
            UNION ALL
            SELECT d.details_id FROM memory_decision d WHERE d.tenant_id = p_tenant AND d.id = r.record_id
            UNION ALL
            SELECT t.details_id FROM memory_task t WHERE t.tenant_id = p_tenant AND t.id = r.record_id
        ), false), p_of => r.content_id)
    FROM memory_rewording r
    WHERE r.tenant_id = p_tenant AND r.id = ANY (contents)
      AND r.id = spared_text(p_tenant, r.content_id, r.record_id);
END $$;
