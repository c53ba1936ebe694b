-- executable by: suture_app
-- The values for which chunks are hidden until they are folded again.
CREATE OR REPLACE FUNCTION values_to_fold(p_tenant uuid) RETURNS SETOF uuid LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY SELECT DISTINCT p.value_id FROM memory_pendingrewording p WHERE p.tenant_id = p_tenant ORDER BY 1;
END $$;
