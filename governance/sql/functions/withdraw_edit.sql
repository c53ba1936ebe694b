-- Withdraw a pending edit, as its proposer. Answers the verdict.
CREATE OR REPLACE FUNCTION withdraw_edit(p_tenant uuid, p_edit uuid, p_reason text) RETURNS uuid LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    RETURN end_edit(p_tenant, p_edit, me.kind, me.id, p_reason);
END $$;

ALTER FUNCTION withdraw_edit OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION withdraw_edit TO suture_app;
