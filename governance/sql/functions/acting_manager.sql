-- The acting manager of the tenant: an admin or the operator. Refuses everyone else, including jobs.
CREATE OR REPLACE FUNCTION acting_manager(p_tenant uuid) RETURNS acting_context LANGUAGE plpgsql STABLE SECURITY DEFINER
AS $$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    IF me.kind <> 'system' AND NOT (me.kind = 'human' AND 'admin' = ANY (me.roles)) THEN
        RAISE EXCEPTION 'only an admin of the tenant can manage its agents, keys, roles and settings'
            USING ERRCODE = 'SU403', CONSTRAINT = 'managed_by_admins';
    END IF;
    RETURN me;
END $$;
