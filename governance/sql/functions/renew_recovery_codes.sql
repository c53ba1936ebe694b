-- Put new recovery codes in place of those of the token's person.
CREATE OR REPLACE FUNCTION renew_recovery_codes(p_token text, p_codes text[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM replace_recovery_codes(token_bearer(p_token), p_codes);
END $$;

ALTER FUNCTION renew_recovery_codes OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION renew_recovery_codes TO suture_app;
