-- Which tenants a person may enter in the admin, and as what: asked before a tenant is known, when row security hides
-- every membership.
CREATE OR REPLACE FUNCTION list_memberships(p_user uuid) RETURNS TABLE (tenant_id uuid, tenant_slug text, role text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT m.tenant_id, t.slug::text, m.role
    FROM governance_membership m
    JOIN governance_user u ON u.id = m.user_id AND u.is_active
    JOIN governance_tenant t ON t.id = m.tenant_id
    WHERE m.user_id = p_user AND m.is_active
    ORDER BY t.slug, m.role
$$;

ALTER FUNCTION list_memberships OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION list_memberships TO suture_app;
