-- The acting manager of the server's accounts: a superuser or the operator. Refuses everyone else.
CREATE OR REPLACE FUNCTION acting_superuser(p_tenant uuid) RETURNS acting_context LANGUAGE plpgsql STABLE SECURITY DEFINER
AS $$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    IF me.kind <> 'system' AND NOT (me.kind = 'human' AND is_superuser(me.id)) THEN
        RAISE EXCEPTION 'only a superuser can deactivate or activate an account'
            USING ERRCODE = 'SU403', CONSTRAINT = 'managed_by_superusers';
    END IF;
    RETURN me;
END $$;
