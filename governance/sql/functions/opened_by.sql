-- The tenants in which a person has a role; none while their account is inactive. In the order in which the heads of
-- their ledgers are locked.
CREATE OR REPLACE FUNCTION opened_by(p_user uuid) RETURNS uuid[] LANGUAGE sql STABLE SECURITY DEFINER AS $$
    SELECT coalesce(array_agg(DISTINCT m.tenant_id ORDER BY m.tenant_id), '{}') FROM governance_membership m
    JOIN governance_user u ON u.id = m.user_id AND u.is_active
    WHERE m.user_id = p_user AND m.is_active
$$;
