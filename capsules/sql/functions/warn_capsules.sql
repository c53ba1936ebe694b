-- executable by: suture_app
-- Set warned_at of up to p_limit capsules that expire within p_within; returns them.
CREATE OR REPLACE FUNCTION warn_capsules(p_tenant uuid, p_within interval, p_limit int) RETURNS TABLE (
    capsule_id uuid, expires_at timestamptz
) LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM require_job(p_tenant);
    RETURN QUERY
    UPDATE capsules_effectivecapsule x SET warned_at = statement_timestamp()
    WHERE x.tenant_id = p_tenant AND x.id = ANY (ARRAY(
        SELECT y.id FROM capsules_effectivecapsule y
        WHERE y.tenant_id = p_tenant AND y.status = 'active' AND y.warned_at IS NULL AND NOT y.is_retracted
          AND y.expires_at > statement_timestamp() AND y.expires_at <= statement_timestamp() + p_within
        ORDER BY y.expires_at LIMIT p_limit FOR UPDATE SKIP LOCKED))
    RETURNING x.id, x.expires_at;
END $$;
