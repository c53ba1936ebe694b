-- Remove everything derived from erased text from the projections, including words lent to neighbours, which
-- erase_content() has locked too. A record whose own text is erased is retracted at once, which equals its fold; only
-- memories that lost just an amended text, and those that an erased one replaced, are refolded. A consolidation of an
-- erased memory may repeat it and a quote does, so they are held. Checkpoints that may repeat it are removed.
CREATE OR REPLACE FUNCTION erase_copies_of_memory(p_tenant uuid, p_erasure uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE chunks uuid[];
BEGIN
    PERFORM require_tenant(p_tenant);
    IF EXISTS (SELECT FROM governance_erasure e
               WHERE e.tenant_id = p_tenant AND e.id = p_erasure AND e.named_by = 'value') THEN
        -- readers get what is left
        PERFORM refold_locked_memories(p_tenant, ARRAY(
            SELECT r.record_id FROM memory_rewording r JOIN governance_erasureitem i
                ON i.tenant_id = p_tenant AND i.erasure_id = p_erasure AND i.content_id IN (r.id, r.content_id)
            WHERE r.tenant_id = p_tenant));
        PERFORM erase_checkpoints(p_tenant, p_erasure);
        PERFORM forget_terms(p_tenant);
        RETURN;
    END IF;
    chunks := ARRAY(SELECT i.record_id FROM governance_erasureitem i
        WHERE i.tenant_id = p_tenant AND i.erasure_id = p_erasure AND i.kind = 'chunk' ORDER BY 1);
    UPDATE memory_effectivechunk x SET is_retracted = true, text = NULL, tsv = NULL, lex = NULL
    WHERE x.tenant_id = p_tenant AND x.id = ANY (chunks);
    PERFORM void_derived(p_tenant, chunks);
    PERFORM withdraw_context(p_tenant, chunks);
    PERFORM refold_locked_memories(
        p_tenant, superseded_below(p_tenant, chunks) || repeats_of(p_tenant, chunks, 'copy'));
    PERFORM hold_consolidations(p_tenant, chunks);
    PERFORM hold_quotes(p_tenant, chunks);
    PERFORM erase_checkpoints(p_tenant, p_erasure);
    PERFORM forget_terms(p_tenant);
    -- these are unsalted digests of the words
    DELETE FROM memory_removedvalue v WHERE v.tenant_id = p_tenant AND v.chunk_id = ANY (chunks);
    UPDATE memory_effectivedecision x SET is_retracted = true
    WHERE x.tenant_id = p_tenant AND x.id IN (
        SELECT i.record_id FROM governance_erasureitem i
        WHERE i.tenant_id = p_tenant AND i.erasure_id = p_erasure AND i.kind = 'decision');
    UPDATE memory_effectivetask x SET is_retracted = true
    WHERE x.tenant_id = p_tenant AND x.update_id IN (
        SELECT i.record_id FROM governance_erasureitem i
        WHERE i.tenant_id = p_tenant AND i.erasure_id = p_erasure AND i.kind = 'task');
    PERFORM refold_locked_memories(p_tenant, ARRAY(
        WITH amended AS (
            SELECT e.target_id FROM governance_erasureitem i
            JOIN governance_edit e ON e.tenant_id = p_tenant AND e.id = i.record_id
            WHERE i.tenant_id = p_tenant AND i.erasure_id = p_erasure AND i.kind = 'edit' AND NOT EXISTS (
                SELECT 1 FROM governance_erasureitem own
                WHERE own.tenant_id = p_tenant AND own.erasure_id = p_erasure AND own.record_id = e.target_id)
        )
        SELECT a.target_id FROM amended a
        UNION
        SELECT k.id FROM memory_decision d JOIN amended a ON a.target_id = d.id
        JOIN memory_chunk k ON k.tenant_id = p_tenant AND k.event_id = d.event_id
        WHERE d.tenant_id = p_tenant));
END $$;
