-- The checks of an edit of a chunk before it applies (record_edit calls this).
CREATE OR REPLACE FUNCTION check_edit_of_chunk(p_tenant uuid, p_edit uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM refuse_removed_value(p_tenant, e.id, x.subject_type, x.subject_id)
    FROM governance_edit e JOIN memory_chunk x ON x.tenant_id = p_tenant AND x.id = e.target_id
    WHERE e.tenant_id = p_tenant AND e.id = p_edit;
END $$;

ALTER FUNCTION check_edit_of_chunk OWNER TO suture_gate;
