-- Remove the checkpoints that certainly may repeat erased text, even pinned ones: all states of an agent whose memory
-- is erased, and those that checkpoints_about() is certain of. The job deletes their files.
CREATE OR REPLACE FUNCTION erase_checkpoints(p_tenant uuid, p_erasure uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE
    e governance_erasure;
    about uuid[];
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT * INTO STRICT e FROM governance_erasure x WHERE x.tenant_id = p_tenant AND x.id = p_erasure;
    about := ARRAY(
        SELECT a.id FROM checkpoints_about(p_tenant, ARRAY(
            SELECT DISTINCT i.record_id FROM governance_erasureitem i
            WHERE i.tenant_id = p_tenant AND i.erasure_id = p_erasure)) a
        WHERE a.is_certain
        UNION
        SELECT s.id FROM memory_checkpointstate s
        CROSS JOIN LATERAL (
            SELECT * FROM memory_checkpoint x WHERE x.tenant_id = p_tenant AND x.id = s.id LIMIT 1) c
        CROSS JOIN LATERAL (
            SELECT * FROM memory_runningsession x WHERE x.tenant_id = p_tenant AND x.id = s.running_id LIMIT 1) o
        WHERE e.named_by = 'agent' AND s.tenant_id = p_tenant AND NOT s.is_removed
          AND e.target_id IN (c.agent_id, o.owner_id));
    PERFORM remove_checkpoints(p_tenant, about, 'erased', p_erasure);
END $$;
