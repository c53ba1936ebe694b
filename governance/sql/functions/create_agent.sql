-- executable by: suture_app
-- Create an agent that uses p_channels.
CREATE OR REPLACE FUNCTION create_agent(p_tenant uuid, p_slug text, p_channels text[], OUT agent_id uuid)
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM acting_manager(p_tenant);
    agent_id := new_id();
    INSERT INTO governance_agent (tenant_id, id, slug, channels, is_active, reads_quarantined, created_at)
    VALUES (p_tenant, agent_id, p_slug, p_channels, true, false, clock_timestamp());
    PERFORM owe_entry(p_tenant, 'agent.created', agent_id::text);
END $$;
