-- The checkpoints that say a value (preview_value), in their label or in a memory that their state names. A restored
-- state is read without what is forgotten.
CREATE OR REPLACE FUNCTION places_of_value_in_checkpoints(p_tenant uuid, p_words text[]) RETURNS TABLE (
    kind text, record_id uuid, line text, recorder text, recorded_by uuid, ts timestamptz, is_near boolean,
    edits_applied int, received_by text[]
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    RETURN QUERY
    WITH said AS MATERIALIZED (
        SELECT n.id, x.text FROM (
            SELECT DISTINCT m.memory_id AS id FROM memory_checkpointmemory m WHERE m.tenant_id = p_tenant) n
        CROSS JOIN LATERAL (
            SELECT y.text FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = n.id LIMIT 1) x
        WHERE says_words(x.text, p_words)
    ), saying AS (
        SELECT s.id, (reworded(p_tenant, s.label, NULL)).text AS text FROM memory_checkpointstate s
        WHERE s.tenant_id = p_tenant AND says_words(s.label, p_words)
        UNION ALL
        SELECT m.checkpoint_id, s.text FROM said s CROSS JOIN LATERAL (
            SELECT y.checkpoint_id FROM memory_checkpointmemory y
            WHERE y.tenant_id = p_tenant AND y.memory_id = s.id OFFSET 0) m
    )
    SELECT DISTINCT ON (c.id) 'checkpoint', c.id, line_saying(y.text, p_words), c.agent, c.agent_id, c.created_at, false,
        0, '{}'::text[]
    FROM saying y
    CROSS JOIN LATERAL (
        SELECT s.* FROM memory_checkpointstate s WHERE s.tenant_id = p_tenant AND s.id = y.id LIMIT 1) s
    CROSS JOIN LATERAL (SELECT k.* FROM memory_checkpoint k WHERE k.tenant_id = p_tenant AND k.id = y.id LIMIT 1) c
    WHERE NOT s.is_removed AND says_words(y.text, p_words)
    ORDER BY c.id DESC;
END $$;
