-- executable by: suture_app
-- Memories of an agent's chain, newest first: with a number below p_before, of one type, of one label; without
-- p_include_superseded only those that are not superseded.
CREATE OR REPLACE FUNCTION list_agent_memories(
    p_tenant uuid, p_agent uuid, p_listening text[], p_include_quarantined boolean, p_include_superseded boolean,
    p_type text, p_block_label text, p_before bigint, p_limit int
) RETURNS SETOF agent_memory_row LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    v_reader reader := reader_including(p_tenant, p_listening, p_include_quarantined);
    ids uuid[];
BEGIN
    PERFORM require_own_chain(p_tenant, p_agent);
    IF p_include_superseded THEN
        ids := ARRAY(
            SELECT m.id FROM memory_agentmemory m CROSS JOIN LATERAL (
                SELECT FROM memory_effectivechunk x WHERE x.tenant_id = v_tenant AND x.id = m.id
                  AND is_seen_in_chain(x, p_listening, v_reader, p_include_quarantined, true) LIMIT 1) seen
            WHERE m.tenant_id = v_tenant AND m.agent_id = p_agent AND (p_before IS NULL OR m.seq < p_before)
              AND (p_type IS NULL OR m.type = p_type) AND (p_block_label IS NULL OR m.block_label = p_block_label)
            ORDER BY m.seq DESC LIMIT (SELECT p_limit));
    ELSE
        ids := ARRAY(
            SELECT x.id FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant AND x.recorded_by = p_agent AND NOT x.is_superseded AND NOT x.is_retracted
              AND x.seq IS NOT NULL AND (p_before IS NULL OR x.seq < p_before)
              AND (p_type IS NULL OR x.source = CASE p_type WHEN 'memory' THEN 'commit' ELSE p_type END)
              AND (p_block_label IS NULL OR x.block_label = p_block_label)
              AND is_seen_in_chain(x, p_listening, v_reader, p_include_quarantined, false)
            ORDER BY x.seq DESC LIMIT (SELECT p_limit));
    END IF;
    RETURN QUERY
    SELECT * FROM agent_memory_rows(v_tenant, ids, p_listening, v_reader, p_include_quarantined, p_include_superseded) r
    ORDER BY r.seq DESC;
END $$;
