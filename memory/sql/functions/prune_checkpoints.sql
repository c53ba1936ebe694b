-- executable by: suture_app
-- Remove checkpoints of up to p_limit sessions: for each depth of a session, all but the newest that it keeps, by
-- default p_keep. Pinned ones stay and do not count. Returns the number. For jobs.
CREATE OR REPLACE FUNCTION prune_checkpoints(p_tenant uuid, p_keep int, p_limit int) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER AS $$
DECLARE
    s record;
    pruned int := 0;
BEGIN
    PERFORM require_job(p_tenant);
    FOR s IN
        SELECT r.id, coalesce(r.keep, p_keep) AS keep FROM memory_runningsession r
        WHERE r.tenant_id = p_tenant AND r.id IN (
            SELECT x.running_id FROM memory_checkpointstate x
            WHERE x.tenant_id = p_tenant AND NOT x.is_removed AND NOT x.is_pinned
            GROUP BY x.running_id, x.depth
            HAVING count(*) > coalesce((SELECT y.keep FROM memory_runningsession y
                                        WHERE y.tenant_id = p_tenant AND y.id = x.running_id), p_keep)
            LIMIT p_limit)
        ORDER BY r.id FOR UPDATE SKIP LOCKED
    LOOP
        pruned := pruned + cardinality(remove_checkpoints(p_tenant, ARRAY(
            SELECT n.id FROM (
                SELECT x.id, row_number() OVER (PARTITION BY x.depth ORDER BY x.id DESC) AS place
                FROM memory_checkpointstate x
                WHERE x.tenant_id = p_tenant AND x.running_id = s.id AND NOT x.is_removed AND NOT x.is_pinned) n
            WHERE n.place > s.keep), 'pruned', NULL));
    END LOOP;
    RETURN pruned;
END $$;
