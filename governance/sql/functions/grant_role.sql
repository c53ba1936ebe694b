-- executable by: suture_app
-- Grant a person a role, also one that was withdrawn before; returns whether they did not have it. An admin can grant
-- roles to members and to accounts created in the tenant; others must be invited (invite_person). People cannot grant
-- themselves a role, except the superuser who creates a tenant, which never had an admin.
CREATE OR REPLACE FUNCTION grant_role(
    p_tenant uuid, p_user uuid, p_role text, OUT was_granted boolean, OUT refusal text
) LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE me acting_context := acting_manager(p_tenant);
BEGIN
    was_granted := false;
    IF p_user = me.id AND EXISTS (
        SELECT FROM governance_membership m WHERE m.tenant_id = p_tenant AND m.role = 'admin' AND m.is_active)
    THEN
        refusal := 'own_role'; RETURN;
    END IF;
    IF me.kind <> 'system'
        AND NOT EXISTS (SELECT FROM governance_user u WHERE u.id = p_user AND u.made_in_id = p_tenant)
        AND NOT EXISTS (
            SELECT FROM governance_membership m WHERE m.tenant_id = p_tenant AND m.user_id = p_user AND m.is_active)
        AND NOT never_had_admin(p_tenant)
    THEN
        refusal := 'needs_invitation'; RETURN;
    END IF;
    was_granted := put_role(p_tenant, p_user, p_role);
END $$;
