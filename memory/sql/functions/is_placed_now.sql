-- Whether the current version of any file contains a chunk.
CREATE OR REPLACE FUNCTION is_placed_now(p_tenant uuid, p_chunk uuid) RETURNS boolean LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM memory_fileplacement p
        CROSS JOIN LATERAL (
            SELECT y.* FROM memory_fileversion y
            WHERE y.tenant_id = p_tenant AND y.placed_by = p.version_id OFFSET 0) v
        CROSS JOIN LATERAL latest_of_file(p_tenant, v.recorded_by, v.session_id, v.file_path) l
        WHERE p.tenant_id = p_tenant AND p.chunk_id = p_chunk AND l.id = v.id);
END $$;
