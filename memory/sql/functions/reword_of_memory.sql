-- Let the job recompute all search vectors of the tenant: its language changed.
CREATE OR REPLACE FUNCTION reword_of_memory(p_tenant uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    INSERT INTO memory_pendingcontext (tenant_id, id, is_reworded)
    SELECT p_tenant, x.id, true FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND NOT x.is_retracted
    ON CONFLICT (tenant_id, id) DO UPDATE SET is_reworded = true;
END $$;
