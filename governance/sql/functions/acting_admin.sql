-- The acting admin of the tenant. Refuses everyone else.
CREATE OR REPLACE FUNCTION acting_admin(p_tenant uuid) RETURNS acting_context LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    IF me.kind <> 'human' OR NOT 'admin' = ANY (me.roles) THEN
        RAISE EXCEPTION 'only an admin of the tenant can do this' USING ERRCODE = 'SU403';
    END IF;
    RETURN me;
END $$;
