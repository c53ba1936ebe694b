-- executable by: suture_app
-- The invitations that the token's person can accept, in all tenants, before one is entered.
CREATE OR REPLACE FUNCTION list_invitations(p_token text) RETURNS TABLE (
    id uuid, tenant_id uuid, tenant_slug text, roles text[], inviter text, expires_at timestamptz
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE person uuid := token_bearer(p_token);
BEGIN
    RETURN QUERY SELECT i.id, i.tenant_id, t.slug::text, i.roles, i.inviter, i.expires_at FROM governance_user u
        JOIN governance_invitation i ON i.username = u.username AND i.status = 'pending'
        JOIN governance_tenant t ON t.id = i.tenant_id
        WHERE u.id = person AND u.is_active AND i.expires_at > statement_timestamp()
            AND (u.reset_at IS NULL OR u.reset_at < i.created_at)
        ORDER BY t.slug;
END $$;
