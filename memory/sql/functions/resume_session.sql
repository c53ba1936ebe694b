-- executable by: suture_app
-- Restore a checkpoint: its session continues from its turn, and deeper agents end. An agent that may read the session
-- but not continue it changes nothing: then is_resumed is false.
CREATE OR REPLACE FUNCTION resume_session(p_tenant uuid, p_checkpoint uuid, OUT is_resumed boolean) LANGUAGE plpgsql
SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting(p_tenant);
    c memory_checkpoint := checkpoint_to_use(p_tenant, p_checkpoint, 'read');
    is_automatic boolean := c.kind = 'automatic';
BEGIN
    is_resumed := EXISTS (SELECT FROM memory_runningsession s
                          WHERE s.tenant_id = p_tenant AND s.id = c.running_id AND s.owner_id = me.id)
        OR EXISTS (SELECT FROM memory_sessionshare h WHERE h.tenant_id = p_tenant AND h.running_id = c.running_id
                     AND h.agent_id = me.id AND h.may_continue);
    PERFORM owe_entry(p_tenant, 'checkpoint.restored', p_checkpoint::text);
    IF NOT is_resumed THEN RETURN; END IF;
    UPDATE memory_runningsession s SET status = 'resumed', resumed_from = p_checkpoint, resumed_at = clock_timestamp()
    WHERE s.tenant_id = p_tenant AND s.id = c.running_id;
    DELETE FROM memory_sessionturn t
    WHERE t.tenant_id = p_tenant AND t.running_id = c.running_id AND t.depth > c.depth;
    -- the turn of a manual checkpoint had not been reported when it was made
    INSERT INTO memory_sessionturn AS t (tenant_id, id, running_id, depth, turn, is_reported, state_sha256,
        checkpoint_id, checkpointed_turn)
    VALUES (p_tenant, new_id(), c.running_id, c.depth, c.turn, is_automatic,
        CASE WHEN is_automatic THEN c.state_sha256 END, CASE WHEN is_automatic THEN c.id END, c.turn)
    ON CONFLICT (tenant_id, running_id, depth) DO UPDATE SET turn = excluded.turn, is_reported = excluded.is_reported,
        state_sha256 = excluded.state_sha256, checkpoint_id = excluded.checkpoint_id,
        checkpointed_turn = excluded.checkpointed_turn;
END $$;
