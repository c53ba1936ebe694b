-- executable by: suture_app
-- Turn off the second factor of another person, who lost theirs; their sessions end. Returns the tenants whose ledgers
-- need an entry.
CREATE OR REPLACE FUNCTION remove_second_factor(p_tenant uuid, p_user uuid, OUT tenants uuid[], OUT refusal text)
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    SELECT l.tenants, l.refusal INTO tenants, refusal FROM lock_account(p_tenant, p_user) l;
    IF refusal IS NOT NULL THEN RETURN; END IF;
    IF NOT EXISTS (SELECT FROM otp_totp_totpdevice d WHERE d.user_id = p_user AND d.confirmed) THEN
        refusal := 'no_second_factor'; RETURN;
    END IF;
    PERFORM delete_second_factor(p_user);
    UPDATE governance_user u SET sessions_ended = u.sessions_ended + 1, reset_at = clock_timestamp(),
        reset_by = CASE me.kind WHEN 'human' THEN me.id END
    WHERE u.id = p_user;
    tenants := owe_everywhere(tenants || p_tenant, 'person.second_factor_off', p_user);
END $$;
