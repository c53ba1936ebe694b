-- Refuse an agent that reads the chain of another agent; people with a role may read every chain.
CREATE OR REPLACE FUNCTION require_own_chain(p_tenant uuid, p_agent uuid) RETURNS void LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    IF me.kind = 'agent' AND me.id <> p_agent THEN
        RAISE EXCEPTION 'an agent can read only its own chain' USING ERRCODE = 'SU403';
    END IF;
END $$;
