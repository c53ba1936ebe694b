-- The memories of agents' chains with these ids that a reader gets, in no particular order. PostgreSQL inlines it into its
-- callers, all functions of the gate, hence no SECURITY DEFINER.
CREATE OR REPLACE FUNCTION agent_memory_rows(
    p_tenant uuid, p_ids uuid[], p_listening text[], p_reader reader, p_include_quarantined boolean,
    p_include_superseded boolean
) RETURNS SETOF agent_memory_row LANGUAGE sql STABLE AS $$
    SELECT m.seq, x.id, m.type, span_of(c.body, x.span_start, x.span_end),
        encode(c.sha256, 'hex'), x.importance, k.retention, x.tier, x.ts,
        x.channel, x.sensitivity, x.scope, x.subject_type, x.subject_id, x.project_id, x.session_id, x.tags,
        x.is_superseded, CASE WHEN x.is_superseded THEN (
            SELECT s.seq FROM memory_agentmemory s WHERE s.tenant_id = p_tenant AND s.id = x.superseded_by) END,
        ARRAY(SELECT s.superseded_seq FROM memory_supersession s WHERE s.tenant_id = p_tenant
            AND s.successor_id = x.id AND s.kind = 'consolidation' ORDER BY 1),
        nullif(m.reason, ''), m.block_label, m.version, m.previous_block_seq, m.is_core, m.expires_at, x.edits_applied,
        x.is_quarantined, coalesce(a.access_count, 0), a.last_accessed
    FROM unnest(p_ids) AS i (id)
    CROSS JOIN LATERAL (
        SELECT y.* FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = i.id
          AND is_seen_in_chain(y, p_listening, p_reader, p_include_quarantined, p_include_superseded) LIMIT 1) x
    CROSS JOIN LATERAL (
        SELECT y.* FROM memory_agentmemory y WHERE y.tenant_id = p_tenant AND y.id = i.id LIMIT 1) m
    CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k
    CROSS JOIN LATERAL content_of(p_tenant, x.content_id) c
    LEFT JOIN LATERAL (
        SELECT y.access_count, y.last_accessed FROM memory_chunkaccess y
        WHERE y.tenant_id = p_tenant AND y.id = i.id LIMIT 1) a ON true
$$;
