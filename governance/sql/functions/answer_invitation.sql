-- executable by: suture_app
-- Accept or decline an invitation of the token's person; answers the roles that they hold by it. An account whose password
-- somebody else gave after the invitation accepts none: the invitation was not meant for them.
CREATE OR REPLACE FUNCTION answer_invitation(
    p_token text, p_invitation uuid, p_accepts boolean, OUT tenant uuid, OUT granted text[], OUT refusal text
) LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    u governance_user;
    i governance_invitation;
BEGIN
    -- Whoever resets the account meanwhile (lock_account) waits here, or is waited for.
    SELECT * INTO u FROM governance_user x WHERE x.id = token_bearer(p_token) AND x.is_active FOR KEY SHARE;
    SELECT * INTO i FROM governance_invitation x WHERE x.id = p_invitation AND x.username = u.username FOR UPDATE;
    IF i.id IS NULL THEN refusal := 'no_such_invitation'; RETURN; END IF;
    IF i.status <> 'pending' OR i.expires_at <= statement_timestamp() OR u.reset_at >= i.created_at
        OR u.one_time_password_until IS NOT NULL
    THEN
        refusal := 'invitation_not_open'; RETURN;
    END IF;
    UPDATE governance_invitation x SET status = CASE WHEN p_accepts THEN 'accepted' ELSE 'declined' END,
        answered_at = clock_timestamp()
    WHERE x.tenant_id = i.tenant_id AND x.id = i.id;
    tenant := i.tenant_id;
    granted := '{}';
    IF NOT p_accepts THEN RETURN; END IF;
    SELECT coalesce(array_agg(r ORDER BY r), '{}') INTO granted FROM unnest(i.roles) r
    WHERE put_role(i.tenant_id, u.id, r);
    PERFORM owe_entry(i.tenant_id, 'invitation.accepted', i.id::text, u.id::text);
END $$;
