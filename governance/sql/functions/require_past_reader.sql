-- Require a reader who may read memory as it was: people with a role, who hear every audience.
CREATE OR REPLACE FUNCTION require_past_reader(p_reader reader) RETURNS void LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    IF NOT p_reader.hears_all THEN
        RAISE EXCEPTION 'only reviewers, auditors and admins read memory as of an earlier time'
            USING ERRCODE = 'SU403', CONSTRAINT = 'past_not_allowed';
    END IF;
END $$;
