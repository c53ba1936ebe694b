-- Refuse a further pending edit of an agent that has as many as the tenant allows (agent_pending_edits). The edits of one
-- call count as one: only the first of them names the agent (governance_editstate.counts_against).
CREATE OR REPLACE FUNCTION require_room_for_pending(p_tenant uuid, p_agent uuid) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER AS $$
DECLARE most int := (SELECT t.agent_pending_edits FROM governance_tenant t WHERE t.id = p_tenant);
BEGIN
    IF (SELECT count(*) FROM governance_editstate s WHERE s.tenant_id = p_tenant AND s.counts_against = p_agent
          AND s.status = 'pending') >= most
    THEN
        RAISE EXCEPTION 'This agent already has % pending edits, the most that the tenant allows. Withdraw some of them, or'
            ' wait until people have decided them.', most USING ERRCODE = 'SU429', CONSTRAINT = 'too_many_pending_edits';
    END IF;
END $$;
