-- After a change of a file's versions: show the chunks of the current version, and hide the others, all at once, with
-- the same result as folding each: a file may have 50,000. Edited chunks, and those beside one, are folded one by one.
CREATE OR REPLACE FUNCTION place_chunks(p_tenant uuid, p_come uuid[], p_gone uuid[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    come uuid[];
    gone uuid[];
BEGIN
    PERFORM lock_surroundings(p_tenant, file_neighbours(p_tenant, p_come || p_gone));
    WITH changed AS (
        UPDATE memory_effectivechunk x SET superseded_by = x.id, is_superseded = true, lex = NULL
        WHERE x.tenant_id = p_tenant AND x.id = ANY (p_gone) AND x.superseded_by IS NULL
          AND NOT is_placed_now(p_tenant, x.id)
        RETURNING x.id)
    SELECT array_agg(c.id) INTO gone FROM changed c;
    WITH changed AS (
        UPDATE memory_effectivechunk x SET superseded_by = NULL, is_superseded = false
        WHERE x.tenant_id = p_tenant AND x.id = ANY (p_come) AND x.is_superseded
          AND NOT EXISTS (SELECT FROM memory_captureremoval r WHERE r.tenant_id = p_tenant AND r.chunk_id = x.id)
        RETURNING x.id)
    SELECT array_agg(c.id) INTO come FROM changed c;
    PERFORM void_derived(p_tenant, gone);
    -- those that were used: most of a file's never were
    PERFORM queue_promotions(p_tenant, ARRAY(
        SELECT a.id FROM memory_chunkaccess a WHERE a.tenant_id = p_tenant AND a.id = ANY (come)));
    -- a job completed those that were staged without their words in context
    INSERT INTO memory_pendingcontext (tenant_id, id, is_reworded) SELECT p_tenant, i.id, false FROM unnest(come) i (id)
    ON CONFLICT DO NOTHING;
    PERFORM requeue_embeddings(p_tenant, ARRAY(
        SELECT i.id FROM unnest(come) i (id) WHERE NOT EXISTS (
            SELECT FROM memory_embedding e WHERE e.tenant_id = p_tenant AND e.chunk_id = i.id)));
    PERFORM refold_locked_memories(p_tenant, file_neighbours(p_tenant, ARRAY(
        SELECT e.id FROM memory_effectivechunk e
        WHERE e.tenant_id = p_tenant AND e.id = ANY (p_come) AND e.edits_applied > 0)));
END $$;
