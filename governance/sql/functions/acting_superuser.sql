-- Who manages the accounts of the whole server in this transaction: a superuser, or the operator. Refuses everybody else.
CREATE OR REPLACE FUNCTION acting_superuser(p_tenant uuid) RETURNS acting_context LANGUAGE plpgsql STABLE SECURITY DEFINER
AS $$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    IF me.kind <> 'system' AND NOT (me.kind = 'human' AND is_superuser(me.id)) THEN
        RAISE EXCEPTION 'only a superuser deactivates or activates an account'
            USING ERRCODE = 'SU403', CONSTRAINT = 'managed_by_superusers';
    END IF;
    RETURN me;
END $$;
