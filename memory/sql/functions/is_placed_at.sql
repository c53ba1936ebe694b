-- Whether the version of any file that was current at a time contains a chunk. The time of a version is its recorder's.
CREATE OR REPLACE FUNCTION is_placed_at(p_tenant uuid, p_chunk uuid, p_at timestamptz) RETURNS boolean LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM memory_fileplacement p
        JOIN memory_fileversion v ON v.tenant_id = p_tenant AND v.placed_by = p.version_id AND v.ts <= p_at
        WHERE p.tenant_id = p_tenant AND p.chunk_id = p_chunk AND NOT EXISTS (
            SELECT FROM memory_fileversion l
            WHERE l.tenant_id = p_tenant AND l.recorded_by = v.recorded_by AND l.session_id = v.session_id
              AND l.file_path = v.file_path AND l.number > v.number AND l.ts <= p_at));
END $$;
