-- The chunks beside a chunk in its session, two before and two after it, by time and id: `place` is -2, -1, 1 or 2.
-- Retracted ones have no place. `lends` says whether the chunk has their words as context (lends_to), where p_blocked are
-- the channels in which it is blocked. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION neighbours_of(k memory_chunk, p_blocked text[])
RETURNS TABLE (place int, chunk_id uuid, ts timestamptz, tsv tsvector, lends boolean) LANGUAGE sql STABLE AS $$
    SELECT * FROM (
        (SELECT -row_number() OVER (ORDER BY x.ts DESC, x.id DESC)::int, x.id, x.ts, x.tsv, lends_to(x, k, p_blocked)
         FROM memory_effectivechunk x
         WHERE x.tenant_id = k.tenant_id AND x.session_id = k.session_id AND NOT x.is_retracted
           AND (x.ts, x.id) < (k.ts, k.id)
         ORDER BY x.ts DESC, x.id DESC LIMIT 2)
        UNION ALL
        (SELECT row_number() OVER (ORDER BY x.ts, x.id)::int, x.id, x.ts, x.tsv, lends_to(x, k, p_blocked)
         FROM memory_effectivechunk x
         WHERE x.tenant_id = k.tenant_id AND x.session_id = k.session_id AND NOT x.is_retracted
           AND (x.ts, x.id) > (k.ts, k.id)
         ORDER BY x.ts, x.id LIMIT 2)
    ) n
$$;

ALTER FUNCTION neighbours_of OWNER TO suture_gate;
