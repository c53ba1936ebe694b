-- The name of who writes, from the record and not from the caller's word.
CREATE OR REPLACE FUNCTION writer_name(p_tenant uuid, p_kind text, p_id uuid) RETURNS text LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE who text;
BEGIN
    IF p_kind = 'agent' THEN
        SELECT a.slug INTO who FROM governance_agent a
        WHERE a.tenant_id = p_tenant AND a.id = p_id AND a.is_active;
    ELSE
        SELECT u.username INTO who FROM governance_user u JOIN governance_membership m
            ON m.tenant_id = p_tenant AND m.user_id = u.id AND m.is_active AND m.role IN ('reviewer', 'admin')
        WHERE u.id = p_id AND u.is_active LIMIT 1;
    END IF;
    IF who IS NULL THEN
        RAISE EXCEPTION 'only an active agent, reviewer or admin of the tenant may write' USING ERRCODE = 'SU403';
    END IF;
    RETURN who;
END $$;

ALTER FUNCTION writer_name OWNER TO suture_gate;
