-- executable by: suture_app
-- Mark up to p_limit capsules as expired, the earliest expiry first; skips rows that another worker has locked.
CREATE OR REPLACE FUNCTION expire_capsules(p_tenant uuid, p_limit int) RETURNS TABLE (capsule_id uuid, expires_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM require_job(p_tenant);
    RETURN QUERY
    UPDATE capsules_effectivecapsule x SET status = 'expired', expired_at = statement_timestamp()
    WHERE x.tenant_id = p_tenant AND x.id = ANY (ARRAY(
        SELECT y.id FROM capsules_effectivecapsule y
        WHERE y.tenant_id = p_tenant AND y.status = 'active' AND y.expires_at <= statement_timestamp()
        ORDER BY y.expires_at LIMIT p_limit FOR UPDATE SKIP LOCKED))
    RETURNING x.id, x.expires_at;
END $$;
