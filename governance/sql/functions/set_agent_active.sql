-- executable by: suture_app
-- Activate or deactivate an agent. Its keys stay, but are refused while it is inactive.
CREATE OR REPLACE FUNCTION set_agent_active(p_tenant uuid, p_agent uuid, p_active boolean, OUT refusal text)
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM acting_manager(p_tenant);
    UPDATE governance_agent a SET is_active = p_active
    WHERE a.tenant_id = p_tenant AND a.id = p_agent AND a.is_active <> p_active;
    IF NOT FOUND THEN refusal := 'nothing_to_change'; RETURN; END IF;
    PERFORM owe_entry(p_tenant, CASE WHEN p_active THEN 'agent.activated' ELSE 'agent.deactivated' END, p_agent::text);
END $$;
