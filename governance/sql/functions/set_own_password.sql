-- executable by: suture_app
-- Store the password hash of the token's person: of a new password of their choice, or a new hash of the same one.
CREATE OR REPLACE FUNCTION set_own_password(p_token text, p_password text, p_is_new boolean) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER AS $$
BEGIN
    UPDATE governance_user u SET password = p_password,
        one_time_password_until = CASE WHEN NOT p_is_new THEN u.one_time_password_until END
    WHERE u.id = token_bearer(p_token);
END $$;
