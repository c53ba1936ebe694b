-- The retention of a decision, as a target of edits: its event's.
CREATE OR REPLACE FUNCTION retention_of_decision(p_tenant uuid, p_decision uuid) RETURNS text LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
BEGIN
    RETURN (SELECT e.retention FROM memory_decision d
            CROSS JOIN LATERAL event_of(p_tenant, d.event_id) e
            WHERE d.tenant_id = p_tenant AND d.id = p_decision);
END $$;
