-- Delete the embeddings of chunks whose text changed or is gone, and let the job embed the rest again (void_derived).
CREATE OR REPLACE FUNCTION void_derived_of_memory(p_tenant uuid, p_chunks uuid[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    DELETE FROM memory_embedding e WHERE e.tenant_id = p_tenant AND e.chunk_id = ANY (p_chunks);
    DELETE FROM memory_embeddingset s WHERE s.tenant_id = p_tenant AND s.id = ANY (p_chunks);
    DELETE FROM memory_embeddingitem i WHERE i.tenant_id = p_tenant AND i.id = ANY (p_chunks) AND i.state <> 'off';
    PERFORM requeue_embeddings(p_tenant, p_chunks);
END $$;
