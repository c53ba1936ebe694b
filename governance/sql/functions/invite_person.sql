-- executable by: suture_app
-- Invite the owner of an account to roles in the tenant, replacing an earlier invitation. Only accounts in the tenant
-- are checked: the answer does not reveal whether others exist.
CREATE OR REPLACE FUNCTION invite_person(
    p_tenant uuid, p_name text, p_roles text[], OUT invitation_id uuid, OUT refusal text
) LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE me acting_context := acting_manager(p_tenant);
BEGIN
    IF p_name = me.name AND me.kind = 'human' THEN refusal := 'own_role'; RETURN; END IF;
    IF EXISTS (
        SELECT FROM governance_membership m JOIN governance_user u ON u.id = m.user_id
        WHERE m.tenant_id = p_tenant AND m.is_active AND u.username = p_name)
    THEN
        refusal := 'is_member'; RETURN;
    END IF;
    UPDATE governance_invitation i SET status = 'withdrawn', answered_at = clock_timestamp()
    WHERE i.tenant_id = p_tenant AND i.username = p_name AND i.status = 'pending';
    invitation_id := new_id();
    INSERT INTO governance_invitation (tenant_id, id, username, roles, invited_by, inviter, status, created_at, expires_at)
    VALUES (p_tenant, invitation_id, p_name, p_roles, me.id, me.name, 'pending', clock_timestamp(),
        clock_timestamp() + interval '14 days');
    PERFORM owe_entry(p_tenant, 'person.invited', invitation_id::text);
END $$;
