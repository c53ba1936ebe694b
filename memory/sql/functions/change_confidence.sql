-- Change the confidence in a chunk for the actor: append to its history, and let the job evaluate it for promotion.
-- Locks the chunk's row in memory_chunkaccess, so concurrent changes are serialized.
CREATE OR REPLACE FUNCTION change_confidence(
    p_tenant uuid, p_chunk uuid, p_kind text, p_after numeric, p_at timestamptz, p_reason text, p_outcome uuid,
    p_is_failure boolean
) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    me acting_context := acting(p_tenant);
    v_before numeric := lock_access(p_tenant, p_chunk);
BEGIN
    INSERT INTO memory_confidencechange (tenant_id, id, chunk_id, number, kind, before, after, outcome_id, is_failure,
        reason, changer_kind, changed_by, changer, at)
    SELECT p_tenant, new_id(), p_chunk, coalesce((
            SELECT c.number FROM memory_confidencechange c WHERE c.tenant_id = p_tenant AND c.chunk_id = p_chunk
            ORDER BY c.number DESC LIMIT 1), 0) + 1,
        p_kind, v_before, p_after, p_outcome, p_is_failure, p_reason, me.kind, me.id, me.name, p_at;
    UPDATE memory_chunkaccess a SET confidence = p_after WHERE a.tenant_id = p_tenant AND a.id = p_chunk;
    PERFORM queue_promotions(p_tenant, ARRAY[p_chunk]);
END $$;
