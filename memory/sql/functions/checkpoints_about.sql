-- executable by: suture_app
-- The checkpoints that may repeat the text of some records. `is_certain`: the state names one of them, or, before the
-- checkpoint was made, its maker or the session's owner recorded or received one in the session or without a session;
-- also what a person recorded under the session's name. Not certain: they recorded or received it in another session,
-- another agent did in its own session of the same name, or the state has more ids than were compared. An edit counts as
-- its target.
CREATE OR REPLACE FUNCTION checkpoints_about(p_tenant uuid, p_records uuid[]) RETURNS TABLE (id uuid, is_certain boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    WITH about AS MATERIALIZED (
        SELECT r.id FROM unnest(p_records) r (id)
        UNION
        SELECT e.target_id FROM unnest(p_records) r (id)
        CROSS JOIN LATERAL (
            SELECT * FROM governance_edit x WHERE x.tenant_id = p_tenant AND x.id = r.id LIMIT 1) e
    ), said AS MATERIALIZED (
        SELECT DISTINCT k.session_id, k.recorder_kind, k.recorded_by FROM unnest(p_records) r (id)
        CROSS JOIN LATERAL (
            SELECT * FROM memory_chunk x WHERE x.tenant_id = p_tenant AND x.id = r.id LIMIT 1) k
        UNION
        SELECT DISTINCT v.session_id, v.recorder_kind, v.recorded_by FROM unnest(p_records) r (id)
        CROSS JOIN LATERAL (
            SELECT * FROM memory_event x WHERE x.tenant_id = p_tenant AND x.id = r.id LIMIT 1) v
    ), given AS MATERIALIZED (
        SELECT d.receiver_id, d.session_id, min(d.at) AS at FROM about a
        CROSS JOIN LATERAL (
            SELECT * FROM memory_delivery x WHERE x.tenant_id = p_tenant AND x.chunk_id = a.id OFFSET 0) d
        GROUP BY d.receiver_id, d.session_id
    ), live AS MATERIALIZED (
        SELECT c.id, c.session_id, c.agent_id, c.created_at, o.owner_id FROM memory_checkpointstate s
        CROSS JOIN LATERAL (
            SELECT * FROM memory_checkpoint x WHERE x.tenant_id = p_tenant AND x.id = s.id LIMIT 1) c
        CROSS JOIN LATERAL (
            SELECT * FROM memory_runningsession x WHERE x.tenant_id = p_tenant AND x.id = s.running_id LIMIT 1) o
        WHERE s.tenant_id = p_tenant AND NOT s.is_removed
    ), found AS (
        SELECT m.checkpoint_id AS id, true AS is_certain FROM about a
        CROSS JOIN LATERAL (
            SELECT * FROM memory_checkpointmemory x WHERE x.tenant_id = p_tenant AND x.memory_id = a.id OFFSET 0) m
        UNION ALL
        SELECT m.checkpoint_id, false FROM memory_checkpointmemory m
        WHERE m.tenant_id = p_tenant AND m.memory_id = '00000000-0000-0000-0000-000000000000'
        UNION ALL
        SELECT l.id, s.recorder_kind <> 'agent' OR s.recorded_by IN (l.agent_id, l.owner_id)
        FROM live l JOIN said s ON s.session_id = l.session_id
        UNION ALL
        SELECT l.id, false FROM live l
        JOIN said s ON s.recorder_kind = 'agent' AND s.recorded_by IN (l.agent_id, l.owner_id)
        UNION ALL
        SELECT l.id, (g.session_id IS NULL OR g.session_id = l.session_id)
            AND g.receiver_id IN (l.agent_id, l.owner_id)
        FROM live l JOIN given g ON g.at <= l.created_at
            AND (g.session_id = l.session_id OR g.receiver_id IN (l.agent_id, l.owner_id))
    )
    SELECT f.id, bool_or(f.is_certain) FROM found f GROUP BY f.id ORDER BY f.id;
END $$;
