-- Like reader_including, for those who read memory as it was: people with a role, who hear every audience.
CREATE OR REPLACE FUNCTION past_reader(p_tenant uuid, p_listening text[], p_include_quarantined boolean) RETURNS reader
LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE found reader := reader_including(p_tenant, p_listening, p_include_quarantined);
BEGIN
    IF NOT found.hears_all THEN
        RAISE EXCEPTION 'only reviewers, auditors and admins read memory as of an earlier time'
            USING ERRCODE = 'SU403', CONSTRAINT = 'past_not_allowed';
    END IF;
    RETURN found;
END $$;
