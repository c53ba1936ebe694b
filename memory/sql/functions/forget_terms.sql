-- Delete the statistics of the tenant's words, which may contain erased words. count_terms counts again, and a run that
-- began before fails. Until then, searches count the words that they need.
CREATE OR REPLACE FUNCTION forget_terms(p_tenant uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    INSERT INTO memory_termcount (tenant_id, id, chunks, chunks_of_channels, erasures)
    VALUES (p_tenant, gen_random_uuid(), 0, '{}', 1)
    ON CONFLICT (tenant_id) DO UPDATE
    SET chunks = 0, chunks_of_channels = '{}', newest = NULL, counted_at = NULL, erasures = memory_termcount.erasures + 1;
    DELETE FROM memory_term t WHERE t.tenant_id = p_tenant;
END $$;
