-- Give a person a role, also one that was withdrawn before; returns whether they did not have it. The callers check the
-- permission.
CREATE OR REPLACE FUNCTION put_role(p_tenant uuid, p_user uuid, p_role text) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER AS $$
BEGIN
    -- A concurrent reset of the account (lock_account) checks the tenants in which it ever had a role.
    PERFORM FROM governance_user u WHERE u.id = p_user FOR KEY SHARE;
    INSERT INTO governance_membership AS m (tenant_id, id, user_id, role, is_active, created_at)
    VALUES (p_tenant, new_id(), p_user, p_role, true, clock_timestamp())
    ON CONFLICT ON CONSTRAINT membership_once DO UPDATE SET is_active = true WHERE NOT m.is_active;
    IF NOT FOUND THEN RETURN false; END IF;
    PERFORM owe_entry(p_tenant, 'role.granted', p_user::text, p_role);
    RETURN true;
END $$;
