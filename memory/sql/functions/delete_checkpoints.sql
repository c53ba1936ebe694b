-- executable by: suture_app
-- Delete a checkpoint of the actor's session, or all of them if p_checkpoint is NULL. Returns their ids.
CREATE OR REPLACE FUNCTION delete_checkpoints(p_tenant uuid, p_running uuid, p_checkpoint uuid) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    s memory_runningsession := session_to_use(p_tenant, p_running, 'remove');
    removed uuid[];
BEGIN
    PERFORM require_tenant(p_tenant);
    removed := remove_checkpoints(p_tenant, ARRAY(
        SELECT x.id FROM memory_checkpointstate x
        WHERE x.tenant_id = p_tenant AND x.running_id = s.id AND NOT x.is_removed
          AND (p_checkpoint IS NULL OR x.id = p_checkpoint)), 'deleted', NULL);
    IF removed <> '{}' THEN PERFORM owe_entry(p_tenant, 'checkpoint.deleted', removed[1]::text); END IF;
    RETURN QUERY SELECT unnest(removed);
END $$;
