-- executable by: suture_app
-- The tenants with expired memory (expire_memories), for the operator's token.
CREATE OR REPLACE FUNCTION tenants_to_expire(p_token text) RETURNS SETOF uuid LANGUAGE plpgsql SECURITY DEFINER
SET enable_seqscan = off AS $$
BEGIN
    IF token_bearer(p_token) IS NOT NULL THEN
        RAISE EXCEPTION 'only the operator can do this for every tenant' USING ERRCODE = 'SU403';
    END IF;
    RETURN QUERY
    SELECT t.id FROM governance_tenant t
    CROSS JOIN LATERAL (
        SELECT FROM memory_effectivechunk x WHERE x.tenant_id = t.id AND x.expires_at <= statement_timestamp()
          AND x.expires_at IS NOT NULL AND NOT x.is_expired LIMIT 1) w;
END $$;
