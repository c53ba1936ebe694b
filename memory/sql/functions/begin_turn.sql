-- executable by: suture_app
-- Lock a session of this name until the end of the transaction, and return its turn at a depth. It is the actor's own
-- session, which is created if it does not exist, or p_owner's.
CREATE OR REPLACE FUNCTION begin_turn(
    p_tenant uuid, p_owner uuid, p_session text, p_depth int, OUT running_id uuid, OUT turn bigint, OUT is_reported boolean,
    OUT state_sha256 bytea, OUT checkpoint_id uuid, OUT checkpointed_turn bigint, OUT checkpoint_every int,
    OUT stored_bytes bigint
) LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    IF me.kind <> 'agent' THEN
        RAISE EXCEPTION 'only an agent has sessions with checkpoints' USING ERRCODE = 'SU403';
    END IF;
    IF p_owner = me.id THEN
        INSERT INTO memory_runningsession (tenant_id, id, session_id, owner_id, owner, status, created_at)
        VALUES (p_tenant, new_id(), p_session, me.id, me.name, 'running', clock_timestamp())
        ON CONFLICT (tenant_id, owner_id, session_id) DO NOTHING;
    END IF;
    SELECT s.id INTO running_id FROM memory_runningsession s
    WHERE s.tenant_id = p_tenant AND s.owner_id = p_owner AND s.session_id = p_session;
    SELECT s.checkpoint_every INTO checkpoint_every FROM session_to_use(p_tenant, running_id, 'continue') s;
    SELECT t.turn, t.is_reported, t.state_sha256, t.checkpoint_id, t.checkpointed_turn
    INTO turn, is_reported, state_sha256, checkpoint_id, checkpointed_turn
    FROM memory_sessionturn t
    WHERE t.tenant_id = p_tenant AND t.running_id = begin_turn.running_id AND t.depth = p_depth;
    SELECT coalesce((SELECT u.stored_bytes FROM memory_checkpointusage u
                     WHERE u.tenant_id = p_tenant AND u.id = p_tenant), 0) INTO stored_bytes;
END $$;
