-- executable by: suture_app
-- Accept or decline an invitation of the token's person; returns the new roles. An account whose password was reset by
-- another person after the invitation cannot accept it: the invitation was not meant for that person.
CREATE OR REPLACE FUNCTION answer_invitation(
    p_token text, p_invitation uuid, p_accepts boolean, OUT tenant uuid, OUT granted text[], OUT refusal text
) LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    u governance_user;
    i governance_invitation;
BEGIN
    -- A concurrent reset of the account (lock_account) and this function wait for each other.
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
