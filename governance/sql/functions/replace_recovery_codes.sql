-- Replace a person's recovery codes; without new ones, delete them.
CREATE OR REPLACE FUNCTION replace_recovery_codes(p_user uuid, p_codes text[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER AS $$
DECLARE device int;
BEGIN
    DELETE FROM otp_static_statictoken t USING otp_static_staticdevice d WHERE d.id = t.device_id AND d.user_id = p_user;
    DELETE FROM otp_static_staticdevice d WHERE d.user_id = p_user;
    IF p_codes = '{}' THEN RETURN; END IF;
    INSERT INTO otp_static_staticdevice (user_id, name, confirmed, throttling_failure_count, created_at)
    VALUES (p_user, 'recovery codes', true, 0, clock_timestamp()) RETURNING id INTO device;
    INSERT INTO otp_static_statictoken (device_id, token) SELECT device, x FROM unnest(p_codes) x;
END $$;
