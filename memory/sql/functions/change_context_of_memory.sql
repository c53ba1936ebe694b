-- Let the job embed chunks again whose neighbours lend them other words now (change_context). If words were withdrawn,
-- delete the embeddings that contain them at once.
CREATE OR REPLACE FUNCTION change_context_of_memory(p_tenant uuid, p_chunks uuid[], p_is_withdrawn boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    IF p_is_withdrawn THEN
        DELETE FROM memory_embedding e WHERE e.tenant_id = p_tenant AND e.chunk_id = ANY (p_chunks);
    END IF;
    PERFORM requeue_embeddings(p_tenant, p_chunks);
END $$;
