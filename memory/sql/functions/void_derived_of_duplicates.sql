-- Delete the links of chunks whose text changed or is gone (void_derived). The embedding job links the remaining ones
-- again.
CREATE OR REPLACE FUNCTION void_derived_of_duplicates(p_tenant uuid, p_chunks uuid[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE chunk uuid;
BEGIN
    -- one by one: for a condition on all, the planner reads every link of the tenant
    FOREACH chunk IN ARRAY p_chunks LOOP
        DELETE FROM memory_duplicate d WHERE d.tenant_id = p_tenant AND d.chunk_id = chunk;
        DELETE FROM memory_duplicate d WHERE d.tenant_id = p_tenant AND d.other_id = chunk;
    END LOOP;
END $$;
