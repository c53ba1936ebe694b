-- Record a proposal under the policy in force, and apply it at once if the policy requires no approval
-- (approvals_of_proposal). p_salt is the salt of the text, if any, p_audience the usersets of the new audience, p_size the
-- number of edits of the call. The caller has locked the target, so that of this edit and a concurrent erasure, the later
-- one sees the other.
CREATE OR REPLACE FUNCTION record_edit_of_locked(
    p_tenant uuid, p_id uuid, p_target_type text, p_target_id uuid, p_sensitivity text, p_op text, p_reason text,
    p_text text, p_salt bytea, p_importance numeric,
    p_importance_delta numeric, p_channel text, p_audience text[], p_reverts uuid, p_patch_sha256 bytea, p_batch uuid,
    p_size int, OUT status text, OUT applied_at timestamptz, OUT approvals_required smallint, OUT policy text,
    OUT decided_by text
) LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting_writer(p_tenant);
    words uuid;
    created timestamptz := clock_timestamp();
    needed record;
    proposed applied_edit;
BEGIN
    -- 1. The target.
    PERFORM require_target_type(p_target_type);
    IF EXISTS (SELECT 1 FROM governance_erasureitem i
               JOIN governance_erasure x ON x.tenant_id = p_tenant AND x.id = i.erasure_id AND x.named_by <> 'value'
               WHERE i.tenant_id = p_tenant AND i.record_id = p_target_id AND i.kind <> 'edit') THEN
        RAISE EXCEPTION 'the target was erased and cannot be edited' USING ERRCODE = 'SU409';
    END IF;
    -- Its retention is in its record, which is never deleted: without retention there is no target.
    IF retention_of_target(p_tenant, p_target_type, p_target_id) IS NULL THEN
        RAISE EXCEPTION 'there is no % %', p_target_type, p_target_id USING ERRCODE = 'SU404', CONSTRAINT = 'no_such_target';
    END IF;
    -- A revert cancels an applied edit of the same target. Of two concurrent reverts, the second has waited above.
    IF p_op = 'revert' AND NOT EXISTS (
        SELECT 1 FROM governance_edit x JOIN governance_editstate s
            ON s.tenant_id = p_tenant AND s.edit_id = x.id AND s.status = 'approved'
        WHERE x.tenant_id = p_tenant AND x.id = p_reverts AND x.target_id = p_target_id
    ) THEN
        RAISE EXCEPTION 'only an applied edit of the same target can be reverted' USING ERRCODE = 'SU409';
    END IF;
    IF p_op = 'revert' AND p_reverts = ANY (cancelled_edits(p_tenant, ARRAY[p_target_id], NULL)) THEN
        RAISE EXCEPTION 'the edit is already reverted' USING ERRCODE = 'SU409';
    END IF;
    proposed.id := p_id; proposed.op := p_op; proposed.target_id := p_target_id; proposed.reverts_id := p_reverts;
    IF p_op = 'audience' THEN
        proposed.audience := '{}';
        IF p_audience <> '{}' THEN proposed.audience := ARRAY[intern_audience(p_tenant, p_audience)]; END IF;
        IF proposed.audience = audience_of_target(p_tenant, p_target_type, p_target_id) THEN
            RAISE EXCEPTION 'the % already has this audience', p_target_type
                USING ERRCODE = 'SU409', CONSTRAINT = 'audience_unchanged';
        END IF;
    END IF;
    -- 2. The current policy governs the edit permanently.
    needed := approvals_of_proposal(p_tenant, p_target_type, p_target_id, p_sensitivity, p_size, true, proposed);
    approvals_required := needed.approvals;
    decided_by := needed.decided_by;
    -- pending edits of an agent are limited; those of one call count as one
    IF me.kind = 'agent' AND approvals_required > 0 THEN
        needed.is_counted := p_batch IS NULL OR NOT EXISTS (
            SELECT FROM governance_edit x WHERE x.tenant_id = p_tenant AND x.batch_id = p_batch);
        IF needed.is_counted THEN PERFORM require_room_for_pending(p_tenant, me.id); END IF;
    END IF;
    SELECT t.policy INTO policy FROM governance_tenant t WHERE t.id = p_tenant;
    -- 3. The record.
    IF p_text IS NOT NULL THEN
        words := new_id();
        INSERT INTO governance_content (tenant_id, id, salt, body, sha256)
        VALUES (p_tenant, words, p_salt, p_text, sha256(p_salt || convert_to(p_text, 'UTF8')));
    END IF;
    INSERT INTO governance_edit (tenant_id, id, created_at, target_type, target_id, op, reason, proposer_kind,
        proposed_by, proposer, content_id, importance, importance_delta, channel, audience, reverts_id, patch_sha256,
        approvals_required, policy, batch_id)
    VALUES (p_tenant, p_id, created, p_target_type, p_target_id, p_op, p_reason, me.kind, me.id,
        me.name, words, p_importance, p_importance_delta, p_channel, proposed.audience, p_reverts, p_patch_sha256, approvals_required, policy, p_batch);
    INSERT INTO governance_editstate (tenant_id, edit_id, status, approvals, created_at, held_by, counts_against)
    VALUES (p_tenant, p_id, 'pending', 0, created, me.held_by, CASE WHEN needed.is_counted THEN me.id END);
    -- The target's own app may refuse it.
    IF to_regprocedure(format('%I(uuid,uuid)', 'check_edit_of_' || p_target_type)) IS NOT NULL THEN
        EXECUTE format('SELECT %I($1, $2)', 'check_edit_of_' || p_target_type) USING p_tenant, p_id;
    END IF;
    status := 'pending';
    -- 4. If no approval is needed, the policy itself decides.
    IF approvals_required = 0 THEN
        INSERT INTO governance_verdict (tenant_id, id, edit_id, decision, decider_kind, decided_by, decider,
            decided_at, reason, proposed_by, patch_sha256)
        VALUES (p_tenant, new_id(), p_id, 'approved', 'policy', NULL, 'policy:' || policy, clock_timestamp(), '',
            me.id, p_patch_sha256);
        applied_at := apply_edit(p_tenant, p_id, 'policy:' || policy);
        status := 'approved';
    ELSIF decided_by = 'received' THEN
        PERFORM hide_from_recorder(p_tenant, p_target_type, p_target_id);
    END IF;
END $$;
