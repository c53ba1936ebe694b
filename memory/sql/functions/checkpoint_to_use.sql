-- A checkpoint by its id, with its session locked: see session_to_use. Refuses one that was removed.
CREATE OR REPLACE FUNCTION checkpoint_to_use(p_tenant uuid, p_checkpoint uuid, p_use text) RETURNS memory_checkpoint
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE c memory_checkpoint;
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT * INTO c FROM memory_checkpoint x WHERE x.tenant_id = p_tenant AND x.id = p_checkpoint;
    IF NOT FOUND THEN RAISE EXCEPTION 'this checkpoint does not exist' USING ERRCODE = 'SU404'; END IF;
    PERFORM session_to_use(p_tenant, c.running_id, p_use);
    IF EXISTS (SELECT FROM memory_checkpointstate s WHERE s.tenant_id = p_tenant AND s.id = p_checkpoint
               AND s.is_removed) THEN
        RAISE EXCEPTION 'this checkpoint was removed' USING ERRCODE = 'SU404', CONSTRAINT = 'checkpoint_was_removed';
    END IF;
    RETURN c;
END $$;
