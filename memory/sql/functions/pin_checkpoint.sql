-- executable by: suture_app
-- Exempt a checkpoint from pruning, or undo this. Returns whether that changed anything.
CREATE OR REPLACE FUNCTION pin_checkpoint(p_tenant uuid, p_checkpoint uuid, p_is_pinned boolean) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    PERFORM checkpoint_to_use(p_tenant, p_checkpoint, 'continue');
    UPDATE memory_checkpointstate s SET is_pinned = p_is_pinned
    WHERE s.tenant_id = p_tenant AND s.id = p_checkpoint AND s.is_pinned <> p_is_pinned;
    IF NOT FOUND THEN RETURN false; END IF;
    PERFORM owe_entry(p_tenant, 'checkpoint.pinned', p_checkpoint::text);
    RETURN true;
END $$;
