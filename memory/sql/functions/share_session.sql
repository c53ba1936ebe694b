-- executable by: suture_app
-- Share the actor's session with exactly these agents. Returns whether that changed anything.
CREATE OR REPLACE FUNCTION share_session(p_tenant uuid, p_running uuid, p_agents uuid[], p_may_continue boolean)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    s memory_runningsession := session_to_use(p_tenant, p_running, 'own');
    ended int;
    begun int;
BEGIN
    PERFORM require_tenant(p_tenant);
    DELETE FROM memory_sessionshare h WHERE h.tenant_id = p_tenant AND h.running_id = s.id
        AND (h.agent_id <> ALL (p_agents) OR h.may_continue <> p_may_continue);
    GET DIAGNOSTICS ended = ROW_COUNT;
    INSERT INTO memory_sessionshare (tenant_id, id, running_id, agent_id, agent, may_continue, shared_at)
    SELECT p_tenant, new_id(), s.id, a.id, a.slug, p_may_continue, clock_timestamp()
    FROM governance_agent a WHERE a.tenant_id = p_tenant AND a.id = ANY (p_agents) AND a.id <> s.owner_id
    ON CONFLICT (tenant_id, running_id, agent_id) DO NOTHING;
    GET DIAGNOSTICS begun = ROW_COUNT;
    IF ended + begun = 0 THEN RETURN false; END IF;
    PERFORM owe_entry(p_tenant, 'session.shared', s.id::text);
    RETURN true;
END $$;
