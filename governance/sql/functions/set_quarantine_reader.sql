-- executable by: suture_app
-- Allow or forbid an agent to read quarantined memory.
CREATE OR REPLACE FUNCTION set_quarantine_reader(p_tenant uuid, p_agent uuid, p_allowed boolean, OUT refusal text)
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM acting_manager(p_tenant);
    UPDATE governance_agent a SET reads_quarantined = p_allowed
    WHERE a.tenant_id = p_tenant AND a.id = p_agent AND a.reads_quarantined <> p_allowed;
    IF NOT FOUND THEN refusal := 'nothing_to_change'; RETURN; END IF;
    PERFORM owe_entry(p_tenant, CASE WHEN p_allowed THEN 'agent.quarantine_allowed' ELSE 'agent.quarantine_refused' END,
        p_agent::text);
END $$;
