-- executable by: suture_app
-- Whether any value is forgotten or replaced in the tenant.
CREATE OR REPLACE FUNCTION is_guarded(p_tenant uuid) RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN has_guards(p_tenant);
END $$;
