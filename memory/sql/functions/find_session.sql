-- executable by: suture_app
-- The running session with an id, also a deleted one: the actor's own, or of another agent (p_owner) that offers it to the
-- actor; for admins, of any agent.
CREATE OR REPLACE FUNCTION find_session(p_tenant uuid, p_session text, p_owner text) RETURNS TABLE (
    id uuid, session_id text, owner_id uuid, owner text, status text, resumed_from uuid, resumed_at timestamptz, keep int,
    checkpoint_every int, created_at timestamptz
) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    IF me.kind <> 'human' AND (p_owner IS NULL OR p_owner = me.name) THEN
        RETURN QUERY
        SELECT s.id, s.session_id, s.owner_id, s.owner, s.status, s.resumed_from, s.resumed_at, s.keep, s.checkpoint_every,
            s.created_at
        FROM memory_runningsession s WHERE s.tenant_id = p_tenant AND s.owner_id = me.id AND s.session_id = p_session;
        RETURN;
    END IF;
    RETURN QUERY
    SELECT s.id, s.session_id, s.owner_id, s.owner, s.status, s.resumed_from, s.resumed_at, s.keep, s.checkpoint_every,
        s.created_at
    FROM memory_runningsession s
    WHERE s.tenant_id = p_tenant AND s.session_id = p_session AND s.owner = p_owner
      AND (me.kind = 'human' AND 'admin' = ANY (me.roles) OR EXISTS (
          SELECT FROM memory_sessionshare h
          WHERE h.tenant_id = p_tenant AND h.running_id = s.id AND h.agent_id = me.id))
    LIMIT 1;
END $$;
