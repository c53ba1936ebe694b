-- Make an account, which has no role yet. An account that the operator makes is in the ledger by the role that it is given.
CREATE OR REPLACE FUNCTION make_account(
    p_tenant uuid, p_name text, p_password text, p_one_time_until timestamptz, OUT user_id uuid
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE me acting_context := acting_manager(p_tenant);
BEGIN
    user_id := new_id();
    INSERT INTO governance_user (id, username, password, is_superuser, is_staff, is_active, first_name, last_name, email,
        date_joined, one_time_password_until, sessions_ended)
    VALUES (user_id, p_name, p_password, false, true, true, '', '', '', clock_timestamp(), p_one_time_until, 0);
    PERFORM owe_entry(p_tenant, CASE me.kind WHEN 'system' THEN 'role.granted' ELSE 'person.added' END, user_id::text);
END $$;

ALTER FUNCTION make_account OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION make_account TO suture_app;
