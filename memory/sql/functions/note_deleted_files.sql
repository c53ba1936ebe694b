-- executable by: suture_app
-- Record that the files of removed checkpoints are deleted. For jobs.
CREATE OR REPLACE FUNCTION note_deleted_files(p_tenant uuid, p_ids uuid[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
BEGIN
    PERFORM require_job(p_tenant);
    UPDATE memory_checkpointstate s SET is_file_deleted = true
    WHERE s.tenant_id = p_tenant AND s.id = ANY (p_ids) AND s.is_removed;
END $$;
