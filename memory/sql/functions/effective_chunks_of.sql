-- The effective chunks of one event. The record says which these are, so that the projection needs no index of events.
-- PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION effective_chunks_of(p_tenant uuid, p_event uuid) RETURNS SETOF memory_effectivechunk LANGUAGE sql
STABLE ROWS 2 AS $$
    SELECT x.* FROM (
        SELECT c.id FROM memory_chunk c WHERE c.tenant_id = p_tenant AND c.event_id = p_event OFFSET 0) k
    CROSS JOIN LATERAL (
        SELECT y.* FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = k.id LIMIT 1) x
$$;
