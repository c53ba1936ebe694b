-- Chunks of files with their neighbours in any version, whose words they share. Without chunks of files, it is
-- p_chunks.
CREATE OR REPLACE FUNCTION file_neighbours(p_tenant uuid, p_chunks uuid[]) RETURNS uuid[] LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN p_chunks || ARRAY(
        SELECT DISTINCT n.chunk_id FROM unnest(p_chunks) i (id)
        CROSS JOIN LATERAL (
            SELECT y.version_id, y.chunk_index FROM memory_fileplacement y
            WHERE y.tenant_id = p_tenant AND y.chunk_id = i.id OFFSET 0) p
        CROSS JOIN LATERAL (
            SELECT y.chunk_id FROM memory_fileplacement y
            WHERE y.tenant_id = p_tenant AND y.version_id = p.version_id
              AND y.chunk_index IN (p.chunk_index - 1, p.chunk_index + 1) OFFSET 0) n
        WHERE n.chunk_id <> ALL (p_chunks));
END $$;
