-- Quarantine those of the new chunks that repeat what an approved retract removed (removed_by). Each quarantine is an
-- ordinary edit, proposed by the recorder and applied by the policy, and its reason names the retract.
CREATE OR REPLACE FUNCTION quarantine_removed_values(p_tenant uuid, p_chunks uuid[])
RETURNS TABLE (edit_id uuid, chunk_id uuid, retracted_by uuid, patch_sha256 bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    me acting_context := acting(p_tenant);
    again record;
BEGIN
    IF NOT EXISTS (SELECT 1 FROM memory_removedvalue v WHERE v.tenant_id = p_tenant) THEN RETURN; END IF;
    FOR again IN
        SELECT k.id, r.retract FROM memory_chunk k
        CROSS JOIN LATERAL (
            SELECT removed_by(p_tenant, said.body, k.subject_type, k.subject_id) AS retract FROM (
                SELECT span_of(c.body, k.span_start, k.span_end) AS body FROM governance_content c
                WHERE c.tenant_id = p_tenant AND c.id = k.content_id
                UNION ALL
                SELECT n.body FROM names_of_event(p_tenant, k.event_id) n
            ) said ORDER BY 1 LIMIT 1  -- NULL comes last
        ) r
        WHERE k.tenant_id = p_tenant AND k.id = ANY (p_chunks) AND r.retract IS NOT NULL
        ORDER BY k.id
    LOOP
        edit_id := new_id(); chunk_id := again.id; retracted_by := again.retract;
        -- the patch_hash() of an empty patch
        patch_sha256 := sha256(convert_to(format(
            '{"op":"quarantine","patch":{},"target_id":"%s","target_type":"chunk"}', again.id), 'UTF8'));
        INSERT INTO governance_edit (tenant_id, id, created_at, target_type, target_id, op, reason, proposer_kind,
            proposed_by, proposer, patch_sha256, approvals_required, policy)
        VALUES (p_tenant, edit_id, clock_timestamp(), 'chunk', again.id, 'quarantine',
            format('Recorded again after edit %s retracted it.', again.retract), me.kind, me.id, me.name, patch_sha256, 0,
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

ALTER FUNCTION quarantine_removed_values OWNER TO suture_gate;
