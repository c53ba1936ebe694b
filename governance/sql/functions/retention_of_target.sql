-- The retention of the target of an edit, from the function of its app (retention_of_<target_type>).
CREATE OR REPLACE FUNCTION retention_of_target(p_tenant uuid, p_target_type text, p_target uuid) RETURNS text LANGUAGE plpgsql
STABLE SECURITY DEFINER AS $$
DECLARE retention text;
BEGIN
    EXECUTE format('SELECT %I($1, $2)', 'retention_of_' || p_target_type) INTO retention USING p_tenant, p_target;
    RETURN retention;
END $$;
