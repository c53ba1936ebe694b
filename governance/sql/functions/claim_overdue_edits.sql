-- executable by: suture_app
-- Claim pending edits older than p_before, oldest first; rows locked by another worker or reviewer are skipped.
CREATE OR REPLACE FUNCTION claim_overdue_edits(p_tenant uuid, p_before timestamptz, p_limit int) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM require_job(p_tenant);
    RETURN QUERY SELECT s.edit_id FROM governance_editstate s
        WHERE s.tenant_id = p_tenant AND s.status = 'pending' AND s.created_at < p_before
        ORDER BY s.created_at LIMIT p_limit FOR UPDATE SKIP LOCKED;
END $$;
