-- executable by: suture_app
-- Set the password of another person, valid until p_until or until they choose another; their sessions end. Returns the
-- tenants whose ledgers need an entry.
CREATE OR REPLACE FUNCTION give_password(
    p_tenant uuid, p_user uuid, p_password text, p_until timestamptz, OUT tenants uuid[], OUT refusal text
) LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    SELECT l.tenants, l.refusal INTO tenants, refusal FROM lock_account(p_tenant, p_user) l;
    IF refusal IS NOT NULL THEN RETURN; END IF;
    UPDATE governance_user u SET password = p_password, one_time_password_until = p_until,
        sessions_ended = u.sessions_ended + 1, reset_at = clock_timestamp(),
        reset_by = CASE me.kind WHEN 'human' THEN me.id END
    WHERE u.id = p_user;
    tenants := owe_everywhere(tenants || p_tenant, 'person.password_given', p_user);
END $$;
