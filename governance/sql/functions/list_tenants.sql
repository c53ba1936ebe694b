-- executable by: suture_app, suture_owner
-- Every tenant, for the operator, for jobs that visit all tenants, and for superusers.
CREATE OR REPLACE FUNCTION list_tenants(p_token text) RETURNS TABLE (id uuid, slug text) LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
DECLARE person uuid := token_bearer(p_token);
BEGIN
    IF person IS NOT NULL AND NOT EXISTS (
        SELECT FROM governance_user u WHERE u.id = person AND u.is_superuser AND u.is_active) THEN
        RETURN;  -- for example a superuser who was just deactivated
    END IF;
    RETURN QUERY SELECT t.id, t.slug::text FROM governance_tenant t ORDER BY t.slug;
END $$;
