-- Whether a chunk waits for the other parts of its file's version (record_file_part): readers do not get it yet.
CREATE OR REPLACE FUNCTION is_staged(p_tenant uuid, p_chunk uuid) RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM memory_fileplacement p WHERE p.tenant_id = p_tenant AND p.chunk_id = p_chunk AND NOT EXISTS (
            SELECT FROM memory_fileversion v WHERE v.tenant_id = p_tenant AND v.id = p.version_id));
END $$;
