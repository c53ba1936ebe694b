-- The name of an active admin of the tenant. Refuses everybody else.
CREATE OR REPLACE FUNCTION admin_name(p_tenant uuid, p_user uuid) RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE who text;
BEGIN
    SELECT u.username INTO who FROM governance_user u JOIN governance_membership m
        ON m.tenant_id = p_tenant AND m.user_id = u.id AND m.is_active AND m.role = 'admin'
    WHERE u.id = p_user AND u.is_active;
    IF who IS NULL THEN
        RAISE EXCEPTION 'only an admin of the tenant proposes and decides erasures' USING ERRCODE = 'SU403';
    END IF;
    RETURN who;
END $$;

ALTER FUNCTION admin_name OWNER TO suture_gate;
