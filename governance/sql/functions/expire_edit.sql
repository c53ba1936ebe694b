-- Let a pending edit expire that was not decided in time; called by a job. Answers the verdict.
CREATE OR REPLACE FUNCTION expire_edit(p_tenant uuid, p_edit uuid, p_reason text) RETURNS uuid LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_job(p_tenant);
    RETURN end_edit(p_tenant, p_edit, NULL, NULL, p_reason);
END $$;

ALTER FUNCTION expire_edit OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION expire_edit TO suture_app;
