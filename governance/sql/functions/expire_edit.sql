-- executable by: suture_app
-- Expire a pending edit that was not decided in time; called by a job. Returns the verdict.
CREATE OR REPLACE FUNCTION expire_edit(p_tenant uuid, p_edit uuid, p_reason text) RETURNS uuid LANGUAGE plpgsql
SECURITY DEFINER AS $$
BEGIN
    PERFORM require_job(p_tenant);
    RETURN end_edit(p_tenant, p_edit, NULL, NULL, p_reason);
END $$;
