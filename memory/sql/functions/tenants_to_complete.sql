-- executable by: suture_app
-- The tenants in which chunks wait for complete_context, with how many, for the operator's token.
CREATE OR REPLACE FUNCTION tenants_to_complete(p_token text) RETURNS TABLE (tenant_id uuid, waiting bigint) LANGUAGE plpgsql
SECURITY DEFINER SET enable_seqscan = off AS $$
BEGIN
    IF token_bearer(p_token) IS NOT NULL THEN
        RAISE EXCEPTION 'only the operator can do this for every tenant' USING ERRCODE = 'SU403';
    END IF;
    RETURN QUERY
    SELECT t.id, w.waiting FROM governance_tenant t
    CROSS JOIN LATERAL (SELECT count(*) AS waiting FROM memory_pendingcontext p WHERE p.tenant_id = t.id) w
    WHERE w.waiting > 0;
END $$;
