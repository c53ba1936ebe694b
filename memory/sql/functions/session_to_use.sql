-- A running session by its id, locked until the end of the transaction, for an intended use by the actor: `read` (its
-- owner, and agents that it is shared with), `continue` (its owner, and those of them that may continue it), or `own`
-- (its owner). `remove` is for its owner and for admins of the tenant. A deleted session cannot be used.
CREATE OR REPLACE FUNCTION session_to_use(p_tenant uuid, p_running uuid, p_use text) RETURNS memory_runningsession
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting(p_tenant);
    s memory_runningsession;
BEGIN
    SELECT * INTO s FROM memory_runningsession x WHERE x.tenant_id = p_tenant AND x.id = p_running FOR UPDATE;
    IF NOT FOUND THEN RAISE EXCEPTION 'this session does not exist' USING ERRCODE = 'SU404'; END IF;
    IF s.status = 'deleted' THEN
        RAISE EXCEPTION 'this session was deleted, and its id cannot be reused: choose another id'
            USING ERRCODE = 'SU404', CONSTRAINT = 'session_was_deleted';
    END IF;
    IF me.kind = 'agent' AND s.owner_id = me.id THEN RETURN s; END IF;
    IF p_use = 'remove' AND me.kind = 'human' AND 'admin' = ANY (me.roles) THEN RETURN s; END IF;
    IF me.kind = 'agent' AND p_use IN ('read', 'continue') AND EXISTS (
        SELECT FROM memory_sessionshare h WHERE h.tenant_id = p_tenant AND h.running_id = p_running
          AND h.agent_id = me.id AND (p_use = 'read' OR h.may_continue)) THEN RETURN s; END IF;
    RAISE EXCEPTION 'this session belongs to another agent that has not allowed you to do this'
        USING ERRCODE = 'SU403', CONSTRAINT = 'session_of_another';
END $$;
