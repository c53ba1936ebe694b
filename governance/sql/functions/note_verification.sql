-- executable by: suture_app
-- Store the time of the last verification of the tenant's ledger and its number of findings.
CREATE OR REPLACE FUNCTION note_verification(p_tenant uuid, p_findings bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
BEGIN
    PERFORM require_job(p_tenant);
    UPDATE governance_merkletree t SET verified_at = statement_timestamp(), findings = p_findings
    WHERE t.tenant_id = p_tenant;
END $$;
