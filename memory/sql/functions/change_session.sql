-- executable by: suture_app
-- Change how many checkpoints of the actor's session are kept, and how often one is made; NULL leaves a value
-- unchanged.
CREATE OR REPLACE FUNCTION change_session(p_tenant uuid, p_running uuid, p_keep int, p_checkpoint_every int) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    PERFORM session_to_use(p_tenant, p_running, 'continue');
    UPDATE memory_runningsession s SET keep = coalesce(p_keep, s.keep),
        checkpoint_every = coalesce(p_checkpoint_every, s.checkpoint_every)
    WHERE s.tenant_id = p_tenant AND s.id = p_running;
END $$;
