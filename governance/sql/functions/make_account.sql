-- executable by: suture_app
-- Create an account without a role. Accounts created by an admin have names in their tenant's namespace (NAME@SLUG), so
-- that a taken name reveals nothing about other tenants; the operator, and a superuser who creates a tenant, use plain
-- names. The ledger records an account created by the operator when it gets a role.
CREATE OR REPLACE FUNCTION make_account(
    p_tenant uuid, p_name text, p_password text, p_one_time_until timestamptz, OUT user_id uuid
) LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting_manager(p_tenant);
    is_of_server boolean := me.kind = 'system' OR never_had_admin(p_tenant);
BEGIN
    IF strpos(p_name, '@') > 0 THEN
        RAISE EXCEPTION 'a name cannot contain @' USING ERRCODE = 'SU400', CONSTRAINT = 'name_is_qualified';
    END IF;
    user_id := new_id();
    INSERT INTO governance_user (id, username, password, is_superuser, is_staff, is_active, first_name, last_name, email,
        date_joined, one_time_password_until, sessions_ended, made_in_id, made_by)
    SELECT user_id, CASE WHEN is_of_server THEN p_name ELSE p_name || '@' || t.slug END, p_password, false,
        true, true, '', '', '', clock_timestamp(), p_one_time_until, 0, p_tenant,
        CASE me.kind WHEN 'human' THEN me.id END
    FROM governance_tenant t WHERE t.id = p_tenant;
    PERFORM owe_entry(p_tenant, CASE me.kind WHEN 'system' THEN 'role.granted' ELSE 'person.added' END, user_id::text);
END $$;
