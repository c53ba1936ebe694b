-- The retention of a value, as a target of edits.
CREATE OR REPLACE FUNCTION retention_of_value(p_tenant uuid, p_value uuid) RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER
AS $$
BEGIN
    RETURN (SELECT v.retention FROM memory_value v WHERE v.tenant_id = p_tenant AND v.id = p_value);
END $$;
