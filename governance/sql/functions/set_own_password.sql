-- Keep the hash of the password of the token's person: of a new one, which is their own choice, or another hash of the
-- one that they have.
CREATE OR REPLACE FUNCTION set_own_password(p_token text, p_password text, p_is_new boolean) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    UPDATE governance_user u SET password = p_password,
        one_time_password_until = CASE WHEN NOT p_is_new THEN u.one_time_password_until END
    WHERE u.id = token_bearer(p_token);
END $$;

ALTER FUNCTION set_own_password OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION set_own_password TO suture_app;
