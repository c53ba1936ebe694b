-- The people that a person counts as where a second person is needed: themselves, and everyone who may know their
-- password. These are the creator of the account, for a day from when it could first decide in the tenant; the person
-- who reset it, for a day; and in turn everyone who may know theirs. A day lets others see the account and its owner
-- complain.
CREATE OR REPLACE FUNCTION counted_as(p_tenant uuid, p_people uuid[]) RETURNS uuid[] LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
DECLARE
    yesterday timestamptz := statement_timestamp() - interval '1 day';
    found uuid[] := p_people;
    more uuid[];
BEGIN
    LOOP
        SELECT array_agg(DISTINCT h.holder) INTO more FROM governance_user u
        CROSS JOIN LATERAL (VALUES
            (CASE WHEN NOT EXISTS (
                SELECT FROM governance_membership m
                WHERE m.tenant_id = p_tenant AND m.user_id = u.id AND m.is_active AND m.role IN ('reviewer', 'admin')
                  AND m.created_at <= yesterday) THEN u.made_by END),
            (CASE WHEN u.reset_at > yesterday THEN u.reset_by END)) h (holder)
        WHERE u.id = ANY (found) AND h.holder IS NOT NULL AND NOT h.holder = ANY (found);
        EXIT WHEN more IS NULL;
        found := found || more;
    END LOOP;
    RETURN found;
END $$;
