-- executable by: suture_app
-- Record a checkpoint whose file is stored, a JSON object, in a session that begin_turn has locked. p_named: the ids that
-- its state names, separated by commas; those of memories are kept with it. p_quota: how many bytes the tenant may store;
-- the refusal is `checkpoint_quota` where this file would be too much.
CREATE OR REPLACE FUNCTION record_checkpoint(
    p_tenant uuid, p_running uuid, p_checkpoint json, p_named text, p_quota bigint,
    OUT created_at timestamptz, OUT refusal text
) LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    me acting_context := acting(p_tenant);
    s memory_runningsession := session_to_use(p_tenant, p_running, 'continue');
    c record;
BEGIN
    SELECT * INTO STRICT c FROM json_to_record(p_checkpoint) AS x (id uuid, turn bigint, depth int, format_version text,
        kind text, label text, is_pinned boolean, size bigint, stored_size bigint, sha256 text, state_sha256 text,
        path text);
    IF c.path NOT LIKE p_tenant || '/%' OR c.path LIKE '%..%' THEN
        RAISE EXCEPTION 'the path of a checkpoint must begin with its tenant' USING ERRCODE = 'SU400';
    END IF;
    created_at := clock_timestamp();
    INSERT INTO memory_checkpoint (tenant_id, id, running_id, session_id, turn, depth, format_version, kind, size,
        stored_size, sha256, state_sha256, path, agent_id, agent, created_at)
    VALUES (p_tenant, c.id, p_running, s.session_id, c.turn, c.depth, c.format_version, c.kind, c.size, c.stored_size,
        decode(c.sha256, 'hex'), decode(c.state_sha256, 'hex'), c.path, me.id, me.name, created_at);
    INSERT INTO memory_checkpointstate (tenant_id, id, running_id, depth, label, is_pinned, is_removed, is_file_deleted)
    VALUES (p_tenant, c.id, p_running, c.depth, c.label, c.is_pinned, false, false);
    -- Callers may name their events themselves; every other id is the server's own, a UUID of version 7.
    INSERT INTO memory_checkpointmemory (tenant_id, id, checkpoint_id, memory_id, version, standing)
    WITH named AS MATERIALIZED (
        SELECT i.id, substr(i.id::text, 15, 1) = '7' AS is_ours FROM (SELECT DISTINCT u::uuid FROM string_to_table(p_named, ',') u) i (id)
    )
    SELECT p_tenant, new_id(), c.id, n.id, x.edits_applied, chunk_standing(x, created_at) FROM named n
    CROSS JOIN LATERAL (SELECT * FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = n.id LIMIT 1) x
    WHERE n.is_ours
    UNION ALL
    SELECT p_tenant, new_id(), c.id, n.id, NULL, NULL FROM named n
    CROSS JOIN LATERAL (SELECT FROM memory_event y WHERE y.tenant_id = p_tenant AND y.id = n.id LIMIT 1) x
    UNION ALL
    SELECT p_tenant, new_id(), c.id, n.id, NULL, NULL FROM named n
    CROSS JOIN LATERAL (
        (SELECT FROM memory_decision y WHERE y.tenant_id = p_tenant AND y.id = n.id LIMIT 1)
        UNION ALL
        (SELECT FROM memory_task y WHERE y.tenant_id = p_tenant AND y.id = n.id LIMIT 1)
        UNION ALL
        (SELECT FROM memory_artifact y WHERE y.tenant_id = p_tenant AND y.id = n.id LIMIT 1)) x
    WHERE n.is_ours
    ON CONFLICT DO NOTHING;
    INSERT INTO memory_sessionturn AS t (tenant_id, id, running_id, depth, turn, is_reported, checkpointed_turn)
    VALUES (p_tenant, new_id(), p_running, c.depth, c.turn, false, c.turn)
    ON CONFLICT (tenant_id, running_id, depth) DO UPDATE SET turn = excluded.turn, checkpointed_turn = excluded.turn,
        is_reported = t.is_reported AND t.turn = excluded.turn,
        state_sha256 = CASE WHEN t.turn = excluded.turn THEN t.state_sha256 END,
        checkpoint_id = CASE WHEN t.turn = excluded.turn THEN t.checkpoint_id END
    WHERE t.turn <= excluded.turn;
    IF NOT FOUND THEN RAISE EXCEPTION 'the session is already at a later turn' USING ERRCODE = 'SU409'; END IF;
    -- the last lock: every other checkpoint of the tenant waits for it
    INSERT INTO memory_checkpointusage AS u (tenant_id, id, stored_bytes) VALUES (p_tenant, p_tenant, c.stored_size)
    ON CONFLICT (tenant_id, id) DO UPDATE SET stored_bytes = u.stored_bytes + excluded.stored_bytes
    WHERE u.stored_bytes + excluded.stored_bytes <= p_quota;
    IF NOT FOUND THEN refusal := 'checkpoint_quota'; END IF;
END $$;
