-- executable by: suture_app
-- The chunks of all versions of a memory, which a chunk or an event of any of them names, newest first; none that the
-- actor does not hear.
CREATE OR REPLACE FUNCTION versions_of_memory(p_tenant uuid, p_id uuid) RETURNS SETOF uuid LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    listener reader := reader_with(p_tenant, '{}');
    versions uuid[] := ARRAY[current_memory(p_tenant, p_id, listener)];
    below uuid[] := versions;
BEGIN
    PERFORM require_tenant(p_tenant);
    LOOP
        below := ARRAY(
            SELECT DISTINCT r.earlier_id FROM unnest(below) i (id)
            CROSS JOIN LATERAL unnest(memory_with(p_tenant, i.id)) c (id)
            JOIN memory_relation r ON r.tenant_id = p_tenant AND r.later_id = c.id AND r.kind = 'update'
            WHERE r.earlier_id IS NOT NULL AND NOT r.earlier_id = ANY (versions));
        EXIT WHEN below = '{}';
        versions := versions || below;
    END LOOP;
    RETURN QUERY
        SELECT x.id FROM unnest(versions) i (id)
        CROSS JOIN LATERAL unnest(memory_with(p_tenant, i.id)) c (id)
        CROSS JOIN LATERAL (
            SELECT y.id FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = c.id
              AND NOT y.is_retracted AND hears(listener, y.audience) LIMIT 1) x
        GROUP BY x.id ORDER BY x.id DESC;
END $$;
