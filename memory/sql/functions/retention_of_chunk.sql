-- The retention of a chunk, as a target of edits.
CREATE OR REPLACE FUNCTION retention_of_chunk(p_tenant uuid, p_chunk uuid) RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER
AS $$
BEGIN
    RETURN (SELECT k.retention FROM memory_chunk k WHERE k.tenant_id = p_tenant AND k.id = p_chunk);
END $$;
