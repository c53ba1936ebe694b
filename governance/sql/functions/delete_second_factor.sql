-- Delete a person's authenticator, also an unconfirmed one, and their recovery codes; returns whether the second factor
-- was on.
CREATE OR REPLACE FUNCTION delete_second_factor(p_user uuid) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE was_on boolean := EXISTS (SELECT FROM otp_totp_totpdevice d WHERE d.user_id = p_user AND d.confirmed);
BEGIN
    DELETE FROM otp_totp_totpdevice d WHERE d.user_id = p_user;
    PERFORM replace_recovery_codes(p_user, '{}');
    RETURN was_on;
END $$;
