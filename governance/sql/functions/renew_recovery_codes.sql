-- executable by: suture_app
-- Replace the recovery codes of the token's person.
CREATE OR REPLACE FUNCTION renew_recovery_codes(p_token text, p_codes text[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER AS $$
BEGIN
    PERFORM replace_recovery_codes(token_bearer(p_token), p_codes);
END $$;
