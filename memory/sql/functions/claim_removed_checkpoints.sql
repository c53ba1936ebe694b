-- executable by: suture_app
-- Removed checkpoints whose files are not deleted yet, up to p_limit, locked until the end of the transaction. For jobs.
CREATE OR REPLACE FUNCTION claim_removed_checkpoints(p_tenant uuid, p_limit int) RETURNS TABLE (id uuid, path text)
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM require_job(p_tenant);
    RETURN QUERY
    SELECT s.id, c.path FROM memory_checkpointstate s
    JOIN memory_checkpoint c ON c.tenant_id = p_tenant AND c.id = s.id
    WHERE s.tenant_id = p_tenant AND s.is_removed AND NOT s.is_file_deleted
    LIMIT p_limit FOR UPDATE OF s SKIP LOCKED;
END $$;
