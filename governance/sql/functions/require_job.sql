-- Refuse unless a job or the operator acts in this transaction.
CREATE OR REPLACE FUNCTION require_job(p_tenant uuid) RETURNS void LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    IF me.kind NOT IN ('job', 'system') THEN
        RAISE EXCEPTION 'only a job or the operator can do this' USING ERRCODE = 'SU403';
    END IF;
END $$;
