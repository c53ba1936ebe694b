-- executable by: suture_app
-- Activate or deactivate an account on the whole server; deactivating ends its sessions. The last active superuser
-- cannot be deactivated. Returns the tenants whose ledgers need an entry.
CREATE OR REPLACE FUNCTION set_account_active(
    p_tenant uuid, p_user uuid, p_active boolean, OUT tenants uuid[], OUT refusal text
) LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting_superuser(p_tenant);
    others boolean;
BEGIN
    IF NOT p_active THEN
        IF p_user = me.id THEN refusal := 'own_account'; RETURN; END IF;
        -- If two superusers deactivate each other, the second waits here and then finds only one left.
        SELECT bool_or(x.is_superuser AND x.is_active AND x.id <> p_user) INTO others FROM (
            SELECT * FROM governance_user u
            WHERE u.id = p_user OR u.is_superuser AND u.is_active ORDER BY u.id FOR UPDATE) x;
        IF others IS NOT TRUE THEN refusal := 'last_superuser'; RETURN; END IF;
        tenants := opened_by(p_user);
    END IF;
    UPDATE governance_user u SET is_active = p_active, sessions_ended = u.sessions_ended + (NOT p_active)::int
    WHERE u.id = p_user AND u.is_active <> p_active;
    IF NOT FOUND THEN refusal := 'nothing_to_change'; RETURN; END IF;
    tenants := owe_everywhere(coalesce(tenants, opened_by(p_user)) || p_tenant,
        CASE WHEN p_active THEN 'person.activated' ELSE 'person.deactivated' END, p_user);
END $$;
