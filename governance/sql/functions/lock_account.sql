-- Lock an account that the actor may reset. A superuser may reset every account except their own. An admin may reset
-- members of their tenant whose account was created in it and never had a role in another, not even a withdrawn one:
-- granting that role again would let the admin in. Returns the tenants that the account can enter, or the refusal.
CREATE OR REPLACE FUNCTION lock_account(p_tenant uuid, p_user uuid, OUT tenants uuid[], OUT refusal text)
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting(p_tenant);
    as_superuser boolean := me.kind = 'human' AND is_superuser(me.id);
    locked governance_user;
BEGIN
    IF NOT as_superuser THEN PERFORM acting_manager(p_tenant); END IF;
    IF p_user = me.id THEN refusal := 'own_secrets'; RETURN; END IF;
    -- A concurrent grant of a first role in another tenant waits here.
    SELECT * INTO STRICT locked FROM governance_user u WHERE u.id = p_user FOR UPDATE;
    IF NOT locked.is_active THEN refusal := 'person_inactive'; RETURN; END IF;
    tenants := opened_by(p_user);
    IF as_superuser THEN RETURN; END IF;
    IF NOT p_tenant = ANY (tenants) THEN refusal := 'not_a_member'; RETURN; END IF;
    IF locked.is_superuser OR locked.made_in_id IS DISTINCT FROM p_tenant OR EXISTS (
        SELECT FROM governance_membership m WHERE m.user_id = p_user AND m.tenant_id <> p_tenant)
    THEN
        refusal := 'opens_more';
    END IF;
END $$;
