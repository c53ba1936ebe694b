-- executable by: suture_app
-- The ids of records derived from events: chunks in order, with their number of applied edits; a decision, a task (not
-- its update) and an artifact. Each event is looked up separately; content_of explains why.
CREATE OR REPLACE FUNCTION derived_from(p_tenant uuid, p_events uuid[])
RETURNS TABLE (event_id uuid, kind text, record_id uuid, edits_applied int) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT e.id, r.kind, r.id, r.edits FROM unnest(p_events) e (id)
    CROSS JOIN LATERAL (
        SELECT 'chunk' AS kind, k.id, k.chunk_index AS place, x.edits_applied AS edits FROM memory_chunk k
        CROSS JOIN LATERAL (
            SELECT y.edits_applied FROM memory_effectivechunk y WHERE y.tenant_id = v_tenant AND y.id = k.id LIMIT 1) x
        WHERE k.tenant_id = v_tenant AND k.event_id = e.id
        UNION ALL
        SELECT 'decision', d.id, 0, NULL FROM memory_decision d WHERE d.tenant_id = v_tenant AND d.event_id = e.id
        UNION ALL
        SELECT 'task', t.task_id, 0, NULL FROM memory_task t WHERE t.tenant_id = v_tenant AND t.event_id = e.id
        UNION ALL
        SELECT 'artifact', a.id, 0, NULL FROM memory_artifact a WHERE a.tenant_id = v_tenant AND a.event_id = e.id
        ORDER BY place
    ) r;
END $$;
