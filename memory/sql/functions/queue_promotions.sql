-- Make these chunks due for the job that promotes memory; none becomes due later than before.
CREATE OR REPLACE FUNCTION queue_promotions(p_tenant uuid, p_chunks uuid[]) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO memory_promotiondue AS q (tenant_id, id, due_at)
    SELECT p_tenant, c.id, clock_timestamp() FROM (SELECT DISTINCT i.id FROM unnest(p_chunks) i (id)) c ORDER BY c.id
    ON CONFLICT (tenant_id, id) DO UPDATE SET due_at = excluded.due_at WHERE q.due_at > excluded.due_at;
END $$;
