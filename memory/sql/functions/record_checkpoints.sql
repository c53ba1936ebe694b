-- executable by: suture_app
-- Record checkpoints whose files are stored, a JSON list, in a session that begin_turn has locked. Each has `named`, the
-- ids in its state, separated by commas: those of memories are stored with it. `names_more`: the state has more ids than
-- these. p_quota: maximum bytes of the tenant; the refusal is `checkpoint_quota` if the files would exceed it.
CREATE OR REPLACE FUNCTION record_checkpoints(
    p_tenant uuid, p_running uuid, p_checkpoints json, p_quota bigint, OUT created_at timestamptz, OUT refusal text
) LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    me acting_context := acting(p_tenant);
    s memory_runningsession := session_to_use(p_tenant, p_running, 'continue');
    c record;
    stored bigint := 0;
BEGIN
    created_at := clock_timestamp();
    FOR c IN
        SELECT * FROM json_to_recordset(p_checkpoints) AS x (id uuid, turn bigint, depth int, format_version text,
            kind text, label text, is_pinned boolean, size bigint, stored_size bigint, sha256 text, state_sha256 text,
            path text, named text, names_more boolean)
    LOOP
        IF c.path NOT LIKE p_tenant || '/%' OR c.path LIKE '%..%' THEN
            RAISE EXCEPTION 'the path of a checkpoint must begin with its tenant' USING ERRCODE = 'SU400';
        END IF;
        stored := stored + c.stored_size;
        INSERT INTO memory_checkpoint (tenant_id, id, running_id, session_id, turn, depth, format_version, kind, size,
            stored_size, sha256, state_sha256, path, agent_id, agent, created_at)
        VALUES (p_tenant, c.id, p_running, s.session_id, c.turn, c.depth, c.format_version, c.kind, c.size,
            c.stored_size, decode(c.sha256, 'hex'), decode(c.state_sha256, 'hex'), c.path, me.id, me.name, created_at);
        INSERT INTO memory_checkpointstate (tenant_id, id, running_id, depth, label, is_pinned, is_removed,
            is_file_deleted)
        VALUES (p_tenant, c.id, p_running, c.depth, c.label, c.is_pinned, false, false);
        IF c.named <> '' THEN
            PERFORM record_memories_of_checkpoint(p_tenant, c.id, c.named, created_at);
        END IF;
        IF c.names_more THEN
            INSERT INTO memory_checkpointmemory (tenant_id, id, checkpoint_id, memory_id)
            VALUES (p_tenant, new_id(), c.id, '00000000-0000-0000-0000-000000000000')
            ON CONFLICT DO NOTHING;
        END IF;
        INSERT INTO memory_sessionturn AS t (tenant_id, id, running_id, depth, turn, is_reported, checkpointed_turn)
        VALUES (p_tenant, new_id(), p_running, c.depth, c.turn, false, c.turn)
        ON CONFLICT (tenant_id, running_id, depth) DO UPDATE SET turn = excluded.turn, checkpointed_turn = excluded.turn,
            is_reported = t.is_reported AND t.turn = excluded.turn,
            state_sha256 = CASE WHEN t.turn = excluded.turn THEN t.state_sha256 END,
            checkpoint_id = CASE WHEN t.turn = excluded.turn THEN t.checkpoint_id END
        WHERE t.turn <= excluded.turn;
        IF NOT FOUND THEN RAISE EXCEPTION 'the session is already at a later turn' USING ERRCODE = 'SU409'; END IF;
    END LOOP;
    -- the last lock: every other checkpoint of the tenant waits for it
    INSERT INTO memory_checkpointusage AS u (tenant_id, id, stored_bytes) VALUES (p_tenant, p_tenant, stored)
    ON CONFLICT (tenant_id, id) DO UPDATE SET stored_bytes = u.stored_bytes + excluded.stored_bytes
    WHERE u.stored_bytes + excluded.stored_bytes <= p_quota;
    IF NOT FOUND THEN refusal := 'checkpoint_quota'; END IF;
END $$;
