-- executable by: suture_app
-- Permanently delete the actor's session, with its checkpoints and shares. Returns the ids of the checkpoints.
CREATE OR REPLACE FUNCTION delete_session(p_tenant uuid, p_running uuid) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE s memory_runningsession := session_to_use(p_tenant, p_running, 'remove');
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY SELECT unnest(remove_checkpoints(p_tenant, ARRAY(
        SELECT x.id FROM memory_checkpointstate x
        WHERE x.tenant_id = p_tenant AND x.running_id = s.id AND NOT x.is_removed), 'deleted', NULL));
    DELETE FROM memory_sessionshare h WHERE h.tenant_id = p_tenant AND h.running_id = s.id;
    UPDATE memory_runningsession x SET status = 'deleted' WHERE x.tenant_id = p_tenant AND x.id = s.id;
    PERFORM owe_entry(p_tenant, 'session.deleted', s.id::text);
END $$;
