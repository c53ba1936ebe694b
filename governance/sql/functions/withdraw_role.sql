-- executable by: suture_app
-- Withdraw a role from a person, from their next request on. The tenant's last admin cannot be removed.
CREATE OR REPLACE FUNCTION withdraw_role(p_tenant uuid, p_user uuid, p_role text, OUT refusal text) LANGUAGE plpgsql
SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting_manager(p_tenant);
    holders uuid[];
BEGIN
    IF p_user = me.id THEN refusal := 'own_role'; RETURN; END IF;
    -- If two admins remove each other, the second waits here and then is no longer an admin, and only one is left.
    SELECT array_agg(x.user_id) INTO holders FROM (
        SELECT m.user_id FROM governance_membership m
        WHERE m.tenant_id = p_tenant AND m.role = p_role AND m.is_active ORDER BY m.id FOR UPDATE) x;
    IF (p_user = ANY (holders)) IS NOT TRUE THEN refusal := 'not_a_member'; RETURN; END IF;
    IF p_role = 'admin' AND NOT EXISTS (
        SELECT FROM governance_user u WHERE u.id = ANY (holders) AND u.id <> p_user AND u.is_active)
    THEN
        refusal := 'last_admin'; RETURN;
    END IF;
    UPDATE governance_membership m SET is_active = false
    WHERE m.tenant_id = p_tenant AND m.user_id = p_user AND m.role = p_role;
    PERFORM owe_entry(p_tenant, 'role.withdrawn', p_user::text, p_role);
END $$;
