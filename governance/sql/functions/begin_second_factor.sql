-- executable by: suture_app
-- Store a new secret for an authenticator of the token's person, unconfirmed until its first code, replacing an earlier
-- unconfirmed one. Returns false, and stores nothing, if the second factor is already on.
CREATE OR REPLACE FUNCTION begin_second_factor(p_token text, p_key text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE person uuid := token_bearer(p_token);
BEGIN
    PERFORM FROM governance_user u WHERE u.id = person FOR NO KEY UPDATE;
    IF EXISTS (SELECT FROM otp_totp_totpdevice d WHERE d.user_id = person AND d.confirmed) THEN RETURN false; END IF;
    DELETE FROM otp_totp_totpdevice d WHERE d.user_id = person;
    INSERT INTO otp_totp_totpdevice (user_id, name, confirmed, key, step, t0, digits, tolerance, drift, last_t,
        throttling_failure_count, created_at)
    VALUES (person, 'second factor', false, p_key, 30, 0, 6, 1, 0, -1, 0, clock_timestamp());
    RETURN true;
END $$;
