-- The checks of an edit of a chunk before it applies (record_edit calls this).
CREATE OR REPLACE FUNCTION check_edit_of_chunk(p_tenant uuid, p_edit uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
BEGIN
    PERFORM refuse_removed_value(p_tenant, p_edit, x.subject_type, x.subject_id)
    FROM memory_chunk x WHERE x.tenant_id = p_tenant AND x.id = (
        SELECT e.target_id FROM governance_edit e WHERE e.tenant_id = p_tenant AND e.id = p_edit);
END $$;
