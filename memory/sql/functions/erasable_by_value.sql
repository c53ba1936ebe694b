-- The records within the reach of a value with the content rows that say it, which an erasure by value deletes
-- (erasable_of_memory). The value must be forgotten, so that no reader gets these words any more.
CREATE OR REPLACE FUNCTION erasable_by_value(p_tenant uuid, p_value uuid)
RETURNS TABLE (kind text, record_id uuid, content_id uuid, retention text) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
    v memory_value;
    contents uuid[];
BEGIN
    SELECT * INTO v FROM memory_value x WHERE x.tenant_id = p_tenant AND x.id = p_value;
    IF NOT FOUND THEN RETURN; END IF;
    IF NOT EXISTS (SELECT FROM memory_guard g WHERE g.tenant_id = p_tenant AND g.id = p_value AND g.instead_id IS NULL
                   AND (g.ends_at IS NULL OR g.ends_at > statement_timestamp()))
       OR EXISTS (SELECT FROM memory_pendingrewording p WHERE p.tenant_id = p_tenant AND p.value_id = p_value) THEN
        RAISE EXCEPTION 'the value is not forgotten in all memory yet: forget it first (POST /values), or wait for its edit or its job' USING ERRCODE = 'SU409',
            CONSTRAINT = 'value_not_forgotten';
    END IF;
    contents := contents_saying(p_tenant, words_of_value(p_tenant, p_value));
    RETURN QUERY
    WITH records AS (
        SELECT 'event' AS kind, e.id, e.content_id, e.fields_id, e.retention FROM memory_event e WHERE e.tenant_id = p_tenant
        UNION ALL
        SELECT 'chunk', k.id, k.content_id, NULL, k.retention FROM memory_chunk k WHERE k.tenant_id = p_tenant
        UNION ALL
        SELECT d.kind, d.id, d.content_id, d.details_id, e.retention FROM (
            SELECT 'decision' AS kind, y.id, y.event_id, y.content_id, y.details_id FROM memory_decision y
            WHERE y.tenant_id = p_tenant
            UNION ALL
            SELECT 'task', y.id, y.event_id, y.content_id, y.details_id FROM memory_task y WHERE y.tenant_id = p_tenant
            UNION ALL
            SELECT 'artifact', y.id, y.event_id, y.content_id, NULL FROM memory_artifact y WHERE y.tenant_id = p_tenant
        ) d JOIN memory_event e ON e.tenant_id = p_tenant AND e.id = d.event_id
    ), texts AS (
        SELECT r.kind, r.id, w.id AS content_id, r.retention, r.id AS place FROM records r
        CROSS JOIN LATERAL (VALUES (r.content_id), (r.fields_id)) w (id)
        UNION ALL  -- what guards made of them
        SELECT r.kind, r.id, w.id, r.retention, r.id FROM records r
        JOIN memory_rewording w ON w.tenant_id = p_tenant AND w.record_id = r.id
        UNION ALL
        SELECT 'edit', e.id, e.content_id, retention_of_target(p_tenant, e.target_type, e.target_id), e.target_id
        FROM governance_edit e WHERE e.tenant_id = p_tenant AND e.content_id = ANY (contents)
    ), said AS MATERIALIZED (
        SELECT t.* FROM texts t JOIN unnest(contents) s (id) ON s.id = t.content_id
    )
    SELECT t.kind, t.id, t.content_id, t.retention FROM said t
    WHERE is_place_within_reach(v, place_of_record(p_tenant, t.place))
    UNION ALL
    SELECT 'value', x.id, x.content_id, x.retention FROM memory_value x
    WHERE x.tenant_id = p_tenant AND x.content_id = ANY (contents);
END $$;
