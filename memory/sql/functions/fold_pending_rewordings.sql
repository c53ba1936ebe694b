-- executable by: suture_app
-- Fold chunks that say a value again after it was forgotten, replaced or reverted, at most p_limit. Returns how many.
CREATE OR REPLACE FUNCTION fold_pending_rewordings(p_tenant uuid, p_value uuid, p_limit int) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE chunks uuid[];
BEGIN
    PERFORM require_tenant(p_tenant);
    chunks := ARRAY(
        SELECT p.id FROM memory_pendingrewording p WHERE p.tenant_id = p_tenant AND p.value_id = p_value
        ORDER BY p.id LIMIT p_limit FOR UPDATE SKIP LOCKED);
    PERFORM lock_together_of_memory(p_tenant, chunks);
    PERFORM refold_locked_memories(p_tenant, chunks);
    DELETE FROM memory_pendingrewording p WHERE p.tenant_id = p_tenant AND p.id = ANY (chunks);
    RETURN cardinality(chunks);
END $$;
