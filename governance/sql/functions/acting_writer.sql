-- The acting writer of memory or proposer of edits: an agent, a reviewer or an admin. Refuses everyone else.
CREATE OR REPLACE FUNCTION acting_writer(p_tenant uuid) RETURNS acting_context LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    IF me.kind <> 'agent' AND NOT (me.kind = 'human' AND me.roles && '{reviewer,admin}') THEN
        RAISE EXCEPTION 'only an active agent, reviewer or admin of the tenant can write' USING ERRCODE = 'SU403';
    END IF;
    RETURN me;
END $$;
