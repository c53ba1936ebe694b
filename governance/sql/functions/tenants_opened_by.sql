-- The tenants in which a person has a role: for an admin, a superuser or the operator who is about to change the person's
-- account. None while the account is not active.
CREATE OR REPLACE FUNCTION tenants_opened_by(p_tenant uuid, p_user uuid) RETURNS SETOF uuid LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    IF NOT (me.kind = 'system' OR me.kind = 'human' AND ('admin' = ANY (me.roles)
        OR EXISTS (SELECT FROM governance_user u WHERE u.id = me.id AND u.is_superuser AND u.is_active)))
    THEN
        RAISE EXCEPTION 'only an admin, a superuser or the operator can change accounts' USING ERRCODE = 'SU403';
    END IF;
    RETURN QUERY SELECT DISTINCT m.tenant_id FROM governance_membership m
        JOIN governance_user u ON u.id = m.user_id AND u.is_active
        WHERE m.user_id = p_user AND m.is_active;
END $$;

ALTER FUNCTION tenants_opened_by OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION tenants_opened_by TO suture_app;
