-- The acting person with a role in the tenant, or the operator. Refuses agents, and who asks on behalf of a principal.
CREATE OR REPLACE FUNCTION acting_person(p_tenant uuid) RETURNS acting_context LANGUAGE plpgsql STABLE SECURITY DEFINER
AS $$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    IF me.kind = 'agent' OR me.on_behalf_of IS NOT NULL THEN
        RAISE EXCEPTION 'only people with a role in the tenant can see who reads what'
            USING ERRCODE = 'SU403', CONSTRAINT = 'shown_to_people';
    END IF;
    RETURN me;
END $$;
