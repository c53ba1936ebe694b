-- The acting person who may say who stands in which relation: a reviewer, an admin or the operator. Refuses agents.
CREATE OR REPLACE FUNCTION acting_relater(p_tenant uuid) RETURNS acting_context LANGUAGE plpgsql STABLE SECURITY DEFINER
AS $$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    IF me.kind <> 'system' AND NOT (me.kind = 'human' AND me.roles && '{reviewer,admin}') THEN
        RAISE EXCEPTION 'only a reviewer or an admin of the tenant can add and revoke relations'
            USING ERRCODE = 'SU403', CONSTRAINT = 'related_by_people';
    END IF;
    RETURN me;
END $$;
