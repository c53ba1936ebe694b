-- executable by: suture_app
-- Turn on the second factor of the token's person, whose authenticator was just confirmed, with recovery codes. Returns
-- the tenants whose ledgers need an entry; none without an unconfirmed authenticator.
CREATE OR REPLACE FUNCTION confirm_second_factor(
    p_token text, p_codes text[], OUT was_done boolean, OUT tenants uuid[]
) LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE person uuid := token_bearer(p_token);
BEGIN
    PERFORM FROM governance_user u WHERE u.id = person FOR NO KEY UPDATE;
    UPDATE otp_totp_totpdevice d SET confirmed = true
    WHERE d.user_id = person AND NOT d.confirmed AND NOT EXISTS (
        SELECT FROM otp_totp_totpdevice x WHERE x.user_id = person AND x.confirmed);
    was_done := FOUND;
    tenants := '{}';
    IF NOT was_done THEN RETURN; END IF;
    PERFORM replace_recovery_codes(person, p_codes);
    tenants := owe_everywhere(opened_by(person), 'person.second_factor_on', person);
END $$;
