-- executable by: suture_app
-- Record once that a pending operation of a checkpoint is done; returns when.
CREATE OR REPLACE FUNCTION finish_operation(p_tenant uuid, p_checkpoint uuid, p_operation text, p_note text)
RETURNS timestamptz LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting(p_tenant);
    c memory_checkpoint := checkpoint_to_use(p_tenant, p_checkpoint, 'continue');
BEGIN
    INSERT INTO memory_operationdone (tenant_id, id, checkpoint_id, operation_id, note, agent_id, agent, done_at)
    VALUES (p_tenant, new_id(), c.id, p_operation, p_note, me.id, me.name, clock_timestamp())
    ON CONFLICT (tenant_id, checkpoint_id, operation_id) DO NOTHING;
    RETURN (SELECT o.done_at FROM memory_operationdone o
            WHERE o.tenant_id = p_tenant AND o.checkpoint_id = c.id AND o.operation_id = p_operation);
END $$;
