-- The first chunks of all versions of a memory, which a chunk or an event of any of them names, and of the memories that
-- replaced it, whether or not readers get them.
CREATE OR REPLACE FUNCTION versions_with(p_tenant uuid, p_id uuid) RETURNS uuid[] LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    versions uuid[] := (memory_with(p_tenant, p_id))[1:1];
    more uuid[] := versions;
BEGIN
    LOOP
        more := ARRAY(
            SELECT DISTINCT (memory_with(p_tenant, s.id))[1] FROM unnest(more) i (id)
            CROSS JOIN LATERAL unnest(memory_with(p_tenant, i.id)) c (id)
            CROSS JOIN LATERAL (
                SELECT z.successor_id AS id FROM memory_supersession z
                WHERE z.tenant_id = p_tenant AND z.superseded_id = c.id
                UNION ALL
                SELECT r.later_id FROM memory_relation r
                WHERE r.tenant_id = p_tenant AND r.earlier_id = c.id AND r.kind = 'update'
                UNION ALL
                SELECT r.earlier_id FROM memory_relation r
                WHERE r.tenant_id = p_tenant AND r.later_id = c.id AND r.kind = 'update' AND r.earlier_id IS NOT NULL
                UNION ALL
                SELECT r.later_id FROM memory_relation k
                JOIN memory_relation r ON r.tenant_id = p_tenant AND r.key_digest = k.key_digest
                WHERE k.tenant_id = p_tenant AND k.later_id = c.id AND k.key_digest IS NOT NULL) s);
        more := ARRAY(SELECT m.id FROM unnest(more) m (id) WHERE m.id <> ALL (versions));
        EXIT WHEN more = '{}';
        versions := versions || more;
    END LOOP;
    RETURN versions;
END $$;
