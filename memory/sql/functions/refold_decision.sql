-- Refold the memory of a decision, which the caller has locked. apply_edit calls this for a target of type decision.
CREATE OR REPLACE FUNCTION refold_decision(p_tenant uuid, p_decision uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE d memory_decision;
BEGIN
    SELECT * INTO d FROM memory_decision x WHERE x.tenant_id = p_tenant AND x.id = p_decision;
    IF NOT FOUND THEN RAISE EXCEPTION 'this decision does not exist' USING ERRCODE = 'SU404'; END IF;
    PERFORM refold_locked_memories(p_tenant, chunks_of_memory(p_tenant, d.event_id, NULL));
END $$;
