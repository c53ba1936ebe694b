-- executable by: suture_app
-- The tenants that have chunks to evaluate at p_now (evaluate_promotions), or to queue (requeue_promotions), for the
-- operator's token.
CREATE OR REPLACE FUNCTION tenants_to_promote(p_token text, p_now timestamptz) RETURNS SETOF uuid LANGUAGE plpgsql
SECURITY DEFINER SET enable_seqscan = off AS $$
BEGIN
    IF token_bearer(p_token) IS NOT NULL THEN
        RAISE EXCEPTION 'only the operator can do this for every tenant' USING ERRCODE = 'SU403';
    END IF;
    RETURN QUERY
    SELECT t.id FROM governance_tenant t
    WHERE t.promotion_cursor IS NOT NULL OR EXISTS (
        SELECT FROM memory_promotiondue d WHERE d.tenant_id = t.id AND d.due_at <= p_now);
END $$;
