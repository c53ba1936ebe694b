-- executable by: suture_app
-- Record many proposals in the given order; each is a JSON object whose keys are record_edit's parameters, with salt
-- and hash in hexadecimal. With p_each, a refused proposal is skipped, and its row has the reason, SQLSTATE and
-- constraint of the refusal; without it, a refusal rolls back everything, and its hint is the position of the proposal,
-- from 0.
CREATE OR REPLACE FUNCTION record_edits(
    p_tenant uuid, p_batch uuid, p_edits json, p_each boolean
) RETURNS TABLE (id uuid, status text, applied_at timestamptz, approvals_required smallint, policy text, decided_by text, refusal text,
    refusal_state text, refusal_name text)
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    e record;
    r record;
    failed text;
    state text;
    named text;
    place int := -1;
    size int;
BEGIN
    PERFORM require_tenant(p_tenant);
    -- before the locks (intern_audience)
    PERFORM intern_audience(p_tenant, a.audience) FROM (
        SELECT DISTINCT x.audience FROM json_to_recordset(p_edits) AS x (audience text[])) a
    WHERE a.audience <> '{}';
    -- lock all targets first, in a fixed order: two batches with opposite orders could deadlock
    PERFORM lock_together(p_tenant, ARRAY(
        SELECT DISTINCT x.target_id FROM json_to_recordset(p_edits) AS x (target_id uuid)));
    -- the edits of an earlier part of the call count too
    size := json_array_length(p_edits) + (SELECT count(*) FROM (
        SELECT FROM governance_edit x WHERE x.tenant_id = p_tenant AND x.batch_id = p_batch LIMIT 1000) before);
    FOR e IN
        SELECT * FROM json_to_recordset(p_edits) AS x (id uuid, target_type text, target_id uuid, sensitivity text,
            op text, reason text, text text, salt text, importance numeric, importance_delta numeric, channel text,
            audience text[], reverts uuid, patch_sha256 text)
    LOOP
        place := place + 1;
        refusal_state := NULL; refusal_name := NULL;
        id := e.id; status := NULL; applied_at := NULL; approvals_required := NULL; policy := NULL; decided_by := NULL;
        refusal := NULL;
        BEGIN
            SELECT * INTO r FROM record_edit_of_locked(p_tenant, e.id, e.target_type, e.target_id, e.sensitivity, e.op, e.reason,
                e.text, decode(e.salt, 'hex'), e.importance, e.importance_delta,
                e.channel, e.audience, e.reverts, decode(e.patch_sha256, 'hex'), p_batch, size);
            status := r.status; applied_at := r.applied_at; approvals_required := r.approvals_required;
            policy := r.policy; decided_by := r.decided_by;
        EXCEPTION WHEN SQLSTATE 'SU400' OR SQLSTATE 'SU404' OR SQLSTATE 'SU409' THEN
            GET STACKED DIAGNOSTICS failed = MESSAGE_TEXT, state = RETURNED_SQLSTATE, named = CONSTRAINT_NAME;
            IF NOT p_each THEN
                RAISE EXCEPTION USING MESSAGE = failed, ERRCODE = state, CONSTRAINT = named, HINT = place::text;
            END IF;
            refusal := failed; refusal_state := state; refusal_name := named;
        END;
        RETURN NEXT;
    END LOOP;
END $$;
