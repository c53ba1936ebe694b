-- When the first memory with the key of a chunk was recorded that a reader hears and no edit removed; no row without one.
-- The key is looked up by itself: with a join, the planner walks the relations in the order of their ids. PostgreSQL
-- inlines it.
CREATE OR REPLACE FUNCTION first_with_key(p_tenant uuid, p_chunk uuid, p_reader reader) RETURNS TABLE (ts timestamptz)
LANGUAGE sql STABLE AS $$
    SELECT y.ts FROM memory_relation r
    CROSS JOIN LATERAL (
        SELECT x.ts FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.id = r.later_id
          AND NOT x.is_retracted AND hears(p_reader, x.audience) LIMIT 1) y
    WHERE r.tenant_id = p_tenant AND r.key_digest = (
        SELECT k.key_digest FROM memory_relation k
        WHERE k.tenant_id = p_tenant AND k.later_id = p_chunk AND k.key_digest IS NOT NULL LIMIT 1)
    ORDER BY r.id LIMIT 1
$$;
