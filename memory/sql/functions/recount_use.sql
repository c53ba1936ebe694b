-- Recount the usage of a chunk from its deliveries, outcomes and changes of confidence.
CREATE OR REPLACE FUNCTION recount_use(p_tenant uuid, p_chunk uuid) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM lock_access(p_tenant, p_chunk);
    UPDATE memory_chunkaccess a SET access_count = d.accesses, last_accessed = d.last_at, successes = o.successes,
        failures = o.failures, last_outcome_at = o.last_at, confidence = coalesce((
            SELECT c.after FROM memory_confidencechange c WHERE c.tenant_id = p_tenant AND c.chunk_id = p_chunk
            ORDER BY c.number DESC LIMIT 1), 0.5)
    FROM (
        SELECT count(*) AS accesses, max(y.at) AS last_at FROM memory_delivery y
        WHERE y.tenant_id = p_tenant AND y.chunk_id = p_chunk AND y.receiver_kind = 'agent'
    ) d, (
        SELECT count(*) FILTER (WHERE y.outcome = 'success') AS successes,
            count(*) FILTER (WHERE y.outcome = 'failure') AS failures, max(y.at) AS last_at
        FROM memory_outcome y WHERE y.tenant_id = p_tenant AND y.chunk_id = p_chunk
    ) o
    WHERE a.tenant_id = p_tenant AND a.id = p_chunk;
END $$;
