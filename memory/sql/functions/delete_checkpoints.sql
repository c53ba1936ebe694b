-- executable by: suture_app
-- Delete these checkpoints of the actor's session, or all of them if p_checkpoints is NULL. Returns the ids of those that
-- were there.
CREATE OR REPLACE FUNCTION delete_checkpoints(p_tenant uuid, p_running uuid, p_checkpoints uuid[]) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    s memory_runningsession := session_to_use(p_tenant, p_running, 'remove');
    removed uuid[];
BEGIN
    PERFORM require_tenant(p_tenant);
    removed := remove_checkpoints(p_tenant, ARRAY(
        SELECT x.id FROM memory_checkpointstate x
        WHERE x.tenant_id = p_tenant AND x.running_id = s.id AND NOT x.is_removed
          AND (p_checkpoints IS NULL OR x.id = ANY (p_checkpoints))), 'deleted', NULL);
    IF removed <> '{}' THEN PERFORM owe_entry(p_tenant, 'checkpoint.deleted', removed[1]::text); END IF;
    RETURN QUERY SELECT unnest(removed);
END $$;
