-- The chunks beside a chunk in its session (turns_beside) that are not retracted. The place of a retracted one stays
-- empty, so that an edit moves no other chunk, and so that retracting a whole session need not search for the nearest
-- remaining ones. `lends` says whether the chunk has their words as context (lends_to), where p_blocked are the
-- channels in which it is blocked, p_audience its audience. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION neighbours_of(k memory_chunk, p_blocked text[], p_audience int[])
RETURNS TABLE (place int, chunk_id uuid, ts timestamptz, tsv tsvector, lends boolean) LANGUAGE sql STABLE AS $$
    SELECT n.place, x.id, n.ts, x.tsv, x.lends FROM turns_beside(k) n
    CROSS JOIN LATERAL (
        SELECT y.id, y.tsv, lends_to(y, k, p_blocked, p_audience) AS lends FROM memory_effectivechunk y
        WHERE y.tenant_id = k.tenant_id AND y.id = n.id AND NOT y.is_retracted LIMIT 1) x
$$;
