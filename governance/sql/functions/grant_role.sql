-- Give a person a role, also one that was withdrawn; answers whether they did not hold it. Nobody grants themselves one,
-- except the person who creates a tenant, which has no admin yet.
CREATE OR REPLACE FUNCTION grant_role(
    p_tenant uuid, p_user uuid, p_role text, OUT was_granted boolean, OUT refusal text
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE me acting_context := acting_manager(p_tenant);
BEGIN
    was_granted := false;
    IF p_user = me.id AND EXISTS (
        SELECT FROM governance_membership m WHERE m.tenant_id = p_tenant AND m.role = 'admin' AND m.is_active)
    THEN
        refusal := 'own_role'; RETURN;
    END IF;
    -- Whoever changes the account meanwhile (lock_account) looks at the tenants that it opens.
    PERFORM FROM governance_user u WHERE u.id = p_user FOR KEY SHARE;
    INSERT INTO governance_membership AS m (tenant_id, id, user_id, role, is_active, created_at)
    VALUES (p_tenant, new_id(), p_user, p_role, true, clock_timestamp())
    ON CONFLICT ON CONSTRAINT membership_once DO UPDATE SET is_active = true WHERE NOT m.is_active;
    was_granted := FOUND;
    IF was_granted THEN PERFORM owe_entry(p_tenant, 'role.granted', p_user::text, p_role); END IF;
END $$;

ALTER FUNCTION grant_role OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION grant_role TO suture_app;
