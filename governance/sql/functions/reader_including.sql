-- Like reader_of, for readers who may request quarantined memory: people with a role, and agents with an admin's
-- permission.
CREATE OR REPLACE FUNCTION reader_including(p_tenant uuid, p_listening text[], p_include_quarantined boolean) RETURNS reader
LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE me acting_context;
BEGIN
    IF p_include_quarantined THEN
        me := acting(p_tenant);
        IF me.kind = 'agent' AND NOT 'quarantine_reader' = ANY (me.roles) THEN
            RAISE EXCEPTION 'agent % may not read quarantined memory; leave out include_quarantined, or ask an admin of the'
                ' tenant to allow the agent to read it', me.name
                USING ERRCODE = 'SU403', CONSTRAINT = 'quarantine_not_allowed';
        END IF;
    END IF;
    RETURN reader_of(p_tenant, p_listening);
END $$;
