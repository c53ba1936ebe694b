-- executable by: suture_app
-- Record the turn that a session has reached; it can only increase. begin_turn has locked the session. p_state_sha256:
-- of the state, if there was one; p_checkpoint: the checkpoint of this report.
CREATE OR REPLACE FUNCTION report_turn(
    p_tenant uuid, p_running uuid, p_depth int, p_turn bigint, p_state_sha256 bytea, p_checkpoint uuid
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    PERFORM session_to_use(p_tenant, p_running, 'continue');
    INSERT INTO memory_sessionturn AS t (tenant_id, id, running_id, depth, turn, is_reported, state_sha256,
        checkpoint_id, checkpointed_turn)
    VALUES (p_tenant, new_id(), p_running, p_depth, p_turn, true, p_state_sha256, p_checkpoint, 0)
    ON CONFLICT (tenant_id, running_id, depth) DO UPDATE SET turn = excluded.turn, is_reported = true,
        state_sha256 = excluded.state_sha256, checkpoint_id = excluded.checkpoint_id
    WHERE t.turn < excluded.turn OR t.turn = excluded.turn AND NOT t.is_reported;
    IF NOT FOUND THEN RAISE EXCEPTION 'the session is already at a later turn' USING ERRCODE = 'SU409'; END IF;
END $$;
