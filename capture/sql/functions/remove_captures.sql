-- executable by: suture_app
-- Delete captured chunks of the actor: each is superseded from now on, and its record stays. Returns how many were not
-- deleted before.
CREATE OR REPLACE FUNCTION remove_captures(p_tenant uuid, p_chunks uuid[]) RETURNS int LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    me acting_context := acting_writer(p_tenant);
    removed uuid[];
BEGIN
    IF EXISTS (SELECT FROM unnest(p_chunks) i (id) CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k
               WHERE k.recorded_by <> me.id OR NOT EXISTS (
                   SELECT FROM memory_capture c WHERE c.tenant_id = p_tenant AND c.id = i.id)) THEN
        RAISE EXCEPTION 'only the agent or person who captured a memory can delete it' USING ERRCODE = 'SU403';
    END IF;
    PERFORM lock_together_of_memory(p_tenant, p_chunks);
    WITH made AS (
        INSERT INTO memory_captureremoval (tenant_id, id, chunk_id, remover_kind, removed_by, remover, removed_at)
        SELECT p_tenant, new_id(), i.id, me.kind, me.id, me.name, clock_timestamp() FROM unnest(p_chunks) i (id)
        ON CONFLICT (tenant_id, chunk_id) DO NOTHING
        RETURNING chunk_id)
    SELECT coalesce(array_agg(m.chunk_id), '{}') INTO removed FROM made m;
    PERFORM refold_locked_memories(p_tenant, removed);
    RETURN cardinality(removed);
END $$;
