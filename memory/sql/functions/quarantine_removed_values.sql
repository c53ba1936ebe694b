-- Quarantine new chunks that repeat text that an approved retract removed (removed_by). Each quarantine is an ordinary
-- edit, proposed by the recorder and applied by the policy, and its reason names the retract. The same for new chunks
-- that say a value that was replaced everywhere: then `retracted_by` is the edit that replaced it.
--
-- The removed values that share their longest words with any of the new texts are looked up once for all of them, and
-- only a text that has both such words of one is read closely: of a thousand new texts, few are.
CREATE OR REPLACE FUNCTION quarantine_removed_values(p_tenant uuid, p_chunks uuid[])
RETURNS TABLE (edit_id uuid, chunk_id uuid, retracted_by uuid, patch_sha256 bytea)
LANGUAGE plpgsql SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    me acting_context := acting(p_tenant);
    again record;
    replaces boolean := EXISTS (
        SELECT FROM memory_guard g WHERE g.tenant_id = p_tenant AND g.instead_id IS NOT NULL);
BEGIN
    IF NOT replaces
        AND NOT EXISTS (SELECT 1 FROM memory_removedvalue v WHERE v.tenant_id = p_tenant) THEN RETURN; END IF;
    -- For one event, a plan takes longer to make than to run. For many chunks, a new plan pays off.
    IF cardinality(p_chunks) > 20 THEN PERFORM set_config('plan_cache_mode', 'force_custom_plan', true); END IF;
    FOR again IN
        WITH chunk AS MATERIALIZED (
            SELECT k.id, k.event_id, k.content_id, k.span_start, k.span_end, k.subject_type, k.subject_id
            FROM unnest(p_chunks) i (id) CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k
        ), said AS (
            SELECT k.id, k.subject_type, k.subject_id, span_of(c.body, k.span_start, k.span_end) AS body
            FROM chunk k CROSS JOIN LATERAL content_of(p_tenant, k.content_id) c
            UNION ALL
            SELECT k.id, k.subject_type, k.subject_id, n.body
            FROM chunk k CROSS JOIN LATERAL event_of(p_tenant, k.event_id) e
            CROSS JOIN LATERAL names_of_event(p_tenant, k.event_id) n
            -- others have no text besides their chunks
            WHERE e.kind IN ('decision', 'task_update', 'artifact') OR e.content_id <> k.content_id
        ), cued AS MATERIALIZED (
            SELECT row_number() OVER () AS place, s.*, cues_of(s.body) AS cues FROM said s
        ), word AS MATERIALIZED (
            SELECT c.place, c.cues, w.cue FROM cued c CROSS JOIN LATERAL unnest(c.cues) w (cue)
        ), known AS MATERIALIZED (
            SELECT DISTINCT v.cue, v.other_cue FROM memory_removedvalue v
            WHERE v.tenant_id = p_tenant AND v.cue = ANY (ARRAY(SELECT DISTINCT w.cue FROM word w))
        ), suspect AS MATERIALIZED (
            -- one join for all texts: looked up text by text, a thousand of them walked thousands of values each
            SELECT c.id, c.subject_type, c.subject_id, c.body FROM cued c
            WHERE c.place IN (SELECT w.place FROM word w JOIN known v ON v.cue = w.cue
                              WHERE v.other_cue IS NULL OR v.other_cue = ANY (w.cues))
        )
        SELECT r.id, r.retract, format('Recorded again after edit %s removed it.', r.retract) AS reason FROM (
            SELECT DISTINCT ON (s.id) s.id, removed_by(p_tenant, s.body, s.subject_type, s.subject_id) AS retract
            FROM suspect s ORDER BY s.id, retract  -- NULL comes last
        ) r
        WHERE r.retract IS NOT NULL
        UNION ALL
        SELECT DISTINCT ON (k.id) k.id, a.id, format('Recorded again after edit %s removed it.', a.id)
        FROM unnest(CASE WHEN replaces THEN p_chunks END) i (id) CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k
        CROSS JOIN LATERAL content_of(p_tenant, k.content_id) c
        CROSS JOIN LATERAL guarded_spans(
            p_tenant, span_of(c.body, k.span_start, k.span_end), place_of_chunk(k), true) g
        CROSS JOIN LATERAL (SELECT e.id FROM applied_edits(p_tenant, ARRAY[g.value_id], NULL) e
                            WHERE e.content_id = g.instead_id LIMIT 1) a
        ORDER BY 1
    LOOP
        edit_id := new_id(); chunk_id := again.id; retracted_by := again.retract;
        -- the patch_hash() of an empty patch
        patch_sha256 := sha256(convert_to(format(
            '{"op":"quarantine","patch":{},"target_id":"%s","target_type":"chunk"}', again.id), 'UTF8'));
        INSERT INTO governance_edit (tenant_id, id, created_at, target_type, target_id, op, reason, proposer_kind,
            proposed_by, proposer, patch_sha256, approvals_required, policy)
        VALUES (p_tenant, edit_id, clock_timestamp(), 'chunk', again.id, 'quarantine',
            again.reason, me.kind, me.id, me.name, patch_sha256, 0,
            'removed-value');
        INSERT INTO governance_editstate (tenant_id, edit_id, status, approvals, created_at)
        VALUES (p_tenant, edit_id, 'pending', 0, clock_timestamp());
        INSERT INTO governance_verdict (tenant_id, id, edit_id, decision, decider_kind, decider, decided_at, reason,
            proposed_by, patch_sha256)
        VALUES (p_tenant, new_id(), edit_id, 'approved', 'policy', 'policy:removed-value', clock_timestamp(), '', me.id,
            patch_sha256);
        PERFORM lock_target(p_tenant, 'chunk', again.id);
        PERFORM apply_edit(p_tenant, edit_id, 'policy:removed-value');
        RETURN NEXT;
    END LOOP;
END $$;
