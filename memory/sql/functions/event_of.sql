-- One event. PostgreSQL inlines it. Join events by it, with LATERAL; content_of says why.
CREATE OR REPLACE FUNCTION event_of(p_tenant uuid, p_id uuid) RETURNS SETOF memory_event LANGUAGE sql STABLE AS $$
    SELECT e.* FROM memory_event e WHERE e.tenant_id = p_tenant AND e.id = p_id LIMIT 1
$$;
