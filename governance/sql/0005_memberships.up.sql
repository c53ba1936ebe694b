-- Which tenants a person may enter in the admin, and as what: asked before a tenant is known, when row security hides
-- every membership.
CREATE FUNCTION list_memberships(p_user uuid) RETURNS TABLE (tenant_id uuid, tenant_slug text, role text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT m.tenant_id, t.slug::text, m.role
    FROM governance_membership m
    JOIN governance_user u ON u.id = m.user_id AND u.is_active
    JOIN governance_tenant t ON t.id = m.tenant_id
    WHERE m.user_id = p_user AND m.is_active
    ORDER BY t.slug, m.role
$$;

SELECT governance_hand_to_gate(ARRAY['list_memberships(uuid)']::regprocedure[]);

SET ROLE suture_gate;
GRANT EXECUTE ON FUNCTION list_memberships(uuid) TO suture_app;
RESET ROLE;
