-- executable by: suture_app
-- Accept a session that another agent offers: record when the actor first used it. Returns whether this is the first
-- time.
CREATE OR REPLACE FUNCTION take_session(p_tenant uuid, p_running uuid) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE
    me acting_context := acting(p_tenant);
    s memory_runningsession := session_to_use(p_tenant, p_running, 'read');
BEGIN
    UPDATE memory_sessionshare h SET taken_at = clock_timestamp()
    WHERE h.tenant_id = p_tenant AND h.running_id = s.id AND h.agent_id = me.id AND h.taken_at IS NULL;
    IF NOT FOUND THEN RETURN false; END IF;
    PERFORM owe_entry(p_tenant, 'session.taken', s.id::text);
    RETURN true;
END $$;
