-- executable by: suture_app
-- The roles of the token's person in every tenant, before one is entered.
CREATE OR REPLACE FUNCTION list_memberships(p_token text) RETURNS TABLE (tenant_id uuid, tenant_slug text, role text)
LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE person uuid := token_bearer(p_token);
BEGIN
    RETURN QUERY SELECT m.tenant_id, t.slug::text, m.role FROM governance_membership m
        JOIN governance_tenant t ON t.id = m.tenant_id
        JOIN governance_user u ON u.id = m.user_id AND u.is_active
        WHERE m.user_id = person AND m.is_active ORDER BY t.slug, m.role;
END $$;
