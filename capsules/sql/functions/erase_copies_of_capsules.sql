-- Refold the capsules whose amends an erasure deleted. The server no longer knows which words such an amend replaced,
-- so the fold withholds both the note and the risks.
CREATE OR REPLACE FUNCTION erase_copies_of_capsules(p_tenant uuid, p_erasure uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE one uuid;
BEGIN
    PERFORM require_tenant(p_tenant);
    FOR one IN
        SELECT DISTINCT e.target_id FROM governance_erasureitem i
        JOIN governance_edit e ON e.tenant_id = p_tenant AND e.id = i.record_id
        WHERE i.tenant_id = p_tenant AND i.erasure_id = p_erasure AND i.kind = 'edit' AND e.target_type = 'capsule'
        ORDER BY 1
    LOOP
        PERFORM refold_capsule(p_tenant, one);
    END LOOP;
END $$;
