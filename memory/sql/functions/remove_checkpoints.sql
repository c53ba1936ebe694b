-- Record that checkpoints of one session are removed, for a reason (CheckpointRemoval), and free their storage. The job
-- deletes their files after the commit. Returns those that were not removed before.
CREATE OR REPLACE FUNCTION remove_checkpoints(p_tenant uuid, p_ids uuid[], p_reason text, p_erasure uuid)
RETURNS uuid[] LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting(p_tenant);
    removed uuid[];
BEGIN
    WITH made AS (
        INSERT INTO memory_checkpointremoval (tenant_id, id, checkpoint_id, reason, erasure_id, remover_kind,
            removed_by, remover, removed_at)
        SELECT p_tenant, new_id(), i.id, p_reason, p_erasure, me.kind, me.id, me.name, clock_timestamp()
        FROM unnest(p_ids) i (id)
        ON CONFLICT (tenant_id, checkpoint_id) DO NOTHING
        RETURNING checkpoint_id)
    SELECT coalesce(array_agg(m.checkpoint_id ORDER BY m.checkpoint_id), '{}') INTO removed FROM made m;
    UPDATE memory_checkpointstate s SET is_removed = true, is_pinned = false, label = NULL
    WHERE s.tenant_id = p_tenant AND s.id = ANY (removed);
    DELETE FROM memory_checkpointmemory m WHERE m.tenant_id = p_tenant AND m.checkpoint_id = ANY (removed);
    UPDATE memory_checkpointusage u SET stored_bytes = u.stored_bytes - (
        SELECT coalesce(sum(c.stored_size), 0) FROM memory_checkpoint c
        WHERE c.tenant_id = p_tenant AND c.id = ANY (removed))
    WHERE u.tenant_id = p_tenant AND u.id = p_tenant AND removed <> '{}';
    RETURN removed;
END $$;
