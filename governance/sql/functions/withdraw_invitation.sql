-- executable by: suture_app
-- Withdraw a pending invitation.
CREATE OR REPLACE FUNCTION withdraw_invitation(p_tenant uuid, p_invitation uuid, OUT refusal text) LANGUAGE plpgsql
SECURITY DEFINER AS $$
BEGIN
    PERFORM acting_manager(p_tenant);
    UPDATE governance_invitation i SET status = 'withdrawn', answered_at = clock_timestamp()
    WHERE i.tenant_id = p_tenant AND i.id = p_invitation AND i.status = 'pending';
    IF NOT FOUND THEN refusal := 'invitation_not_open'; RETURN; END IF;
    PERFORM owe_entry(p_tenant, 'invitation.withdrawn', p_invitation::text);
END $$;
