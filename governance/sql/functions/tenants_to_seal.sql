-- executable by: suture_app
-- Every tenant for a sealing run, for the operator's token: a digest of the positions of its tree and chains (see
-- ledger_states), and whether it is due. It is due with an unsealed receipt or an alarm, or if its rows were last swept
-- for missing receipts before p_swept: of these only the p_sweeps longest overdue. The first seal of a tenant sweeps
-- its rows.
CREATE OR REPLACE FUNCTION tenants_to_seal(p_token text, p_swept timestamptz, p_sweeps int)
RETURNS TABLE (tenant_id uuid, is_due boolean, state bytea) LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    due uuid[];
BEGIN
    IF token_bearer(p_token) IS NOT NULL THEN
        RAISE EXCEPTION 'only the operator can seal' USING ERRCODE = 'SU403';
    END IF;
    SELECT array_agg(t.tenant_id) INTO due FROM governance_merkletree t WHERE t.alarm IS NOT NULL;
    SELECT due || array_agg(DISTINCT u.tenant_id) INTO due FROM governance_unsealedreceipt u;
    SELECT due || array_agg(s.tenant_id) INTO due FROM (
        SELECT t.tenant_id FROM governance_merkletree t
        WHERE t.root IS NOT NULL AND (t.swept_at IS NULL OR t.swept_at < p_swept)
        ORDER BY t.swept_at NULLS FIRST LIMIT p_sweeps) s;
    RETURN QUERY SELECT d.tenant_id, d.tenant_id = ANY (coalesce(due, '{}')), d.state FROM ledger_digests() d;
END $$;
