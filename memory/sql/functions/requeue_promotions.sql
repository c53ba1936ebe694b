-- executable by: suture_app
-- After a change of the thresholds: make the next p_limit chunks due that were used or that are due later, in order of
-- their ids. Returns how many; 0 when done, or when another run is doing this. For jobs.
CREATE OR REPLACE FUNCTION requeue_promotions(p_tenant uuid, p_limit int) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
    last uuid;
    next uuid[];
BEGIN
    PERFORM require_job(p_tenant);
    SELECT t.promotion_cursor INTO last FROM governance_tenant t
    WHERE t.id = p_tenant AND t.promotion_cursor IS NOT NULL FOR NO KEY UPDATE SKIP LOCKED;
    IF NOT FOUND THEN RETURN 0; END IF;
    next := ARRAY(
        SELECT u.id FROM (
            (SELECT a.id FROM memory_chunkaccess a WHERE a.tenant_id = p_tenant AND a.id > last ORDER BY a.id LIMIT p_limit)
            UNION
            (SELECT d.id FROM memory_promotiondue d WHERE d.tenant_id = p_tenant AND d.id > last ORDER BY d.id LIMIT p_limit)
            UNION  -- never used, but moved by hand or hidden
            (SELECT c.id FROM memory_promotioncheck c WHERE c.tenant_id = p_tenant AND c.id > last ORDER BY c.id LIMIT p_limit)
        ) u ORDER BY u.id LIMIT p_limit);
    PERFORM queue_promotions(p_tenant, next);
    UPDATE governance_tenant t SET promotion_cursor = next[cardinality(next)] WHERE t.id = p_tenant;
    RETURN cardinality(next);
END $$;
