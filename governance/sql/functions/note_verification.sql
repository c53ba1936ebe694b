-- Keep when the tenant's ledger was verified last, and how much was found.
CREATE OR REPLACE FUNCTION note_verification(p_tenant uuid, p_findings bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_job(p_tenant);
    UPDATE governance_merkletree t SET verified_at = statement_timestamp(), findings = p_findings
    WHERE t.tenant_id = p_tenant;
END $$;

ALTER FUNCTION note_verification OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION note_verification TO suture_app;
