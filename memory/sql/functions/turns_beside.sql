-- The chunks recorded beside a chunk in its session for the same audience, two before and two after it, by time and id:
-- `place` is -2, -1, 1 or 2. Others would take a place, which tells that they exist. A chunk of a file has none: it already
-- contains the words before it. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION turns_beside(k memory_chunk) RETURNS TABLE (place int, id uuid, ts timestamptz) LANGUAGE sql
STABLE AS $$
    (SELECT -row_number() OVER (ORDER BY c.ts DESC, c.id DESC)::int, c.id, c.ts FROM memory_effectivechunk c
     WHERE k.source <> 'file' AND c.tenant_id = k.tenant_id AND c.session_id = k.session_id AND (c.ts, c.id) < (k.ts, k.id)
       AND (SELECT y.audience FROM memory_chunk y WHERE y.tenant_id = c.tenant_id AND y.id = c.id)
           IS NOT DISTINCT FROM k.audience
     ORDER BY c.ts DESC, c.id DESC LIMIT 2)
    UNION ALL
    (SELECT row_number() OVER (ORDER BY c.ts, c.id)::int, c.id, c.ts FROM memory_effectivechunk c
     WHERE k.source <> 'file' AND c.tenant_id = k.tenant_id AND c.session_id = k.session_id AND (c.ts, c.id) > (k.ts, k.id)
       AND (SELECT y.audience FROM memory_chunk y WHERE y.tenant_id = c.tenant_id AND y.id = c.id)
           IS NOT DISTINCT FROM k.audience
     ORDER BY c.ts, c.id LIMIT 2)
$$;
