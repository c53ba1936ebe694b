-- Delete the links of chunks that say something else now or nothing any more (void_derived). The job, which embeds
-- what is left again, links it again.
CREATE OR REPLACE FUNCTION void_derived_of_duplicates(p_tenant uuid, p_chunks uuid[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    DELETE FROM memory_duplicate d WHERE d.tenant_id = p_tenant AND d.chunk_id = ANY (p_chunks);
    DELETE FROM memory_duplicate d WHERE d.tenant_id = p_tenant AND d.other_id = ANY (p_chunks);
END $$;
