-- Lawful erasure: the one way in which words are destroyed. A proposal, a second person's approval, and execution in
-- the transaction of the approval.
--
-- Each app with words of its own makes two functions, which are found by their names:
--   erasable_of_<app>(tenant, by, target, subject_type, subject_id) RETURNS TABLE (kind, record_id, content_id,
--       retention): every record that the request names, closed over the memory that it is part of
--   erase_copies_of_<app>(tenant, erasure) RETURNS void: destroys what was derived from the erased words
-- and for each kind of target of edits retention_of_<kind>(tenant, id) RETURNS text.

-- The guard of content. A DELETE passes for a row that an approved erasure, not yet executed, names, and only from
-- within a function of the gate. That state lasts for a part of one transaction: erase_content() begins and ends it.
CREATE FUNCTION governance_deny_change_unless_erased() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_user = 'suture_gate' THEN
        IF EXISTS (
            SELECT 1 FROM public.governance_erasureitem i JOIN public.governance_erasurestate s
                ON s.tenant_id = i.tenant_id AND s.erasure_id = i.erasure_id AND s.status = 'approved'
            WHERE i.tenant_id = OLD.tenant_id AND i.content_id = OLD.id
        ) THEN RETURN OLD; END IF;
    END IF;
    RAISE EXCEPTION '% on % is refused: the table is append-only', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE FUNCTION governance_guard_always() RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE guard record;
BEGIN
    FOR guard IN
        SELECT tgrelid::regclass AS relation, tgname FROM pg_trigger
        WHERE tgfoid IN ('governance_deny_change'::regproc, 'governance_deny_change_unless_erased'::regproc)
          AND tgenabled <> 'A'
    LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', guard.relation, guard.tgname);
    END LOOP;
END $$;

-- The planner's statistics quote values of a column, words here. Nothing is ever asked of the body, so none are kept;
-- setting its type anew forgets those there are.
ALTER TABLE governance_content ALTER COLUMN body SET STATISTICS 0;
ALTER TABLE governance_content ALTER COLUMN body TYPE text;

ALTER TABLE governance_erasurestate ADD CONSTRAINT erasure_state_of_erasure_as_proposed
    FOREIGN KEY (tenant_id, erasure_id, proposed_by) REFERENCES governance_erasure (tenant_id, id, proposed_by);

GRANT SELECT ON governance_erasure, governance_erasurestate, governance_erasureitem TO suture_app, suture_gate;
GRANT INSERT ON governance_erasure, governance_erasurestate, governance_erasureitem TO suture_gate;
GRANT UPDATE ON governance_erasurestate TO suture_gate;
GRANT DELETE ON governance_content TO suture_gate;

-- The functions of all apps whose names begin so. Nobody but the owner and the gate can make a function.
CREATE FUNCTION erasing_functions(p_prefix text) RETURNS SETOF name LANGUAGE sql STABLE
SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT p.proname FROM pg_proc p
    WHERE p.pronamespace = 'public'::regnamespace AND p.proowner = 'suture_gate'::regrole
      AND starts_with(p.proname, p_prefix)
    ORDER BY 1
$$;

CREATE FUNCTION retention_of_target(p_tenant uuid, p_target_type text, p_target uuid) RETURNS text LANGUAGE plpgsql
STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE retention text;
BEGIN
    EXECUTE format('SELECT %I($1, $2)', 'retention_of_' || p_target_type) INTO retention USING p_tenant, p_target;
    RETURN retention;
END $$;

-- What an erasure would destroy now: every record with each of its content rows, and the edits of those records that
-- have texts; by agent also the texts that it proposed of others' records. sha256 is NULL where the words are gone
-- already. An edit keeps the retention of its target.
CREATE FUNCTION erasure_scope(p_tenant uuid, p_by text, p_target uuid, p_subject_type text, p_subject_id text)
RETURNS TABLE (
    kind text, record_id uuid, content_id uuid, sha256 bytea, retention text, target_type text, target_id uuid
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE recorded text;
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT string_agg(format('SELECT * FROM %I($1, $2, $3, $4, $5)', f), ' UNION ALL ') INTO recorded
    FROM erasing_functions('erasable_of_') f;
    IF recorded IS NULL THEN RETURN; END IF;
    RETURN QUERY EXECUTE format(
        'WITH recorded AS MATERIALIZED (%s), edited AS (
            SELECT e.id, e.content_id, e.target_type, e.target_id FROM (SELECT DISTINCT r.record_id FROM recorded r) r
            JOIN governance_edit e ON e.tenant_id = $1 AND e.target_id = r.record_id AND e.content_id IS NOT NULL
            UNION
            SELECT e.id, e.content_id, e.target_type, e.target_id FROM governance_edit e
            WHERE $2 = ''agent'' AND e.tenant_id = $1 AND e.proposer_kind = ''agent'' AND e.proposed_by = $3
              AND e.content_id IS NOT NULL
        )
        SELECT r.kind, r.record_id, r.content_id, c.sha256::bytea, r.retention, NULL, NULL::uuid FROM recorded r
        LEFT JOIN governance_content c ON c.tenant_id = $1 AND c.id = r.content_id
        WHERE r.content_id IS NOT NULL
        UNION ALL
        SELECT ''edit'', e.id, e.content_id, c.sha256, retention_of_target($1, e.target_type, e.target_id),
            e.target_type, e.target_id
        FROM edited e LEFT JOIN governance_content c ON c.tenant_id = $1 AND c.id = e.content_id
        ORDER BY 1, 2, 3', recorded)
        USING p_tenant, p_by, p_target, p_subject_type, p_subject_id;
END $$;

CREATE FUNCTION admin_name(p_tenant uuid, p_user uuid) RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE who text;
BEGIN
    SELECT u.username INTO who FROM governance_user u JOIN governance_membership m
        ON m.tenant_id = p_tenant AND m.user_id = u.id AND m.is_active AND m.role = 'admin'
    WHERE u.id = p_user AND u.is_active;
    IF who IS NULL THEN
        RAISE EXCEPTION 'only an admin of the tenant proposes and decides erasures' USING ERRCODE = 'SU403';
    END IF;
    RETURN who;
END $$;

-- Record a proposal; it waits for a second admin whatever the tenant's policy.
CREATE FUNCTION propose_erasure(
    p_tenant uuid, p_id uuid, p_by text, p_target uuid, p_subject_type text, p_subject_id text, p_reason text,
    p_proposed_by uuid
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE who text;
BEGIN
    PERFORM require_tenant(p_tenant);
    who := admin_name(p_tenant, p_proposed_by);
    INSERT INTO governance_erasure (tenant_id, id, created_at, named_by, target_id, subject_type, subject_id, reason,
        proposed_by, proposer)
    VALUES (p_tenant, p_id, clock_timestamp(), p_by, p_target, p_subject_type, p_subject_id, p_reason, p_proposed_by,
        who);
    INSERT INTO governance_erasurestate (tenant_id, erasure_id, status, proposed_by, decision_reason)
    VALUES (p_tenant, p_id, 'pending', p_proposed_by, '');
END $$;

-- Destroy the words that an approved erasure names, once: the only deletion of content there is. Their hashes stay
-- behind. Answers the pending edits that it ended, with the verdicts that say so.
CREATE FUNCTION erase_content(p_tenant uuid, p_erasure uuid) RETURNS TABLE (edit_id uuid, verdict_id uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    e governance_erasure;
    held record;
    kept text;
    step text;
BEGIN
    PERFORM require_tenant(p_tenant);
    -- 1. Only what a second person approved, and only once.
    PERFORM 1 FROM governance_erasurestate s
    WHERE s.tenant_id = p_tenant AND s.erasure_id = p_erasure AND s.status = 'approved' FOR UPDATE;
    IF NOT FOUND THEN RAISE EXCEPTION 'only an approved erasure erases' USING ERRCODE = 'SU409'; END IF;
    SELECT * INTO STRICT e FROM governance_erasure x WHERE x.tenant_id = p_tenant AND x.id = p_erasure;
    -- 2. Hold whatever an edit or a verdict would change, in the order in which those take their locks: the pending
    --    edits, then the memories.
    PERFORM 1 FROM governance_editstate s
    WHERE s.tenant_id = p_tenant AND s.status = 'pending' AND s.edit_id IN (
        SELECT x.id FROM erasure_scope(p_tenant, e.named_by, e.target_id, e.subject_type, e.subject_id) r
        JOIN governance_edit x ON x.tenant_id = p_tenant
            AND (x.target_id = r.record_id OR r.kind = 'edit' AND x.id = r.record_id))
    ORDER BY s.edit_id FOR UPDATE;
    FOR held IN
        SELECT DISTINCT t.type, t.id
        FROM erasure_scope(p_tenant, e.named_by, e.target_id, e.subject_type, e.subject_id) r
        CROSS JOIN LATERAL (
            SELECT coalesce(r.target_type, r.kind) AS type, coalesce(r.target_id, r.record_id) AS id
        ) t
        WHERE to_regprocedure(format('%I(uuid,uuid,boolean)', 'state_of_' || t.type)) IS NOT NULL
        ORDER BY t.id
    LOOP
        PERFORM lock_target(p_tenant, held.type, held.id);
    END LOOP;
    -- 3. What there is now, with nobody changing it.
    INSERT INTO governance_erasureitem (tenant_id, id, erasure_id, kind, record_id, content_id, sha256)
    SELECT p_tenant, new_id(), p_erasure, r.kind, r.record_id, r.content_id, r.sha256
    FROM erasure_scope(p_tenant, e.named_by, e.target_id, e.subject_type, e.subject_id) r WHERE r.sha256 IS NOT NULL;
    IF NOT FOUND THEN RAISE EXCEPTION 'nothing of it is left to erase' USING ERRCODE = 'SU409'; END IF;
    SELECT string_agg(n.name, ', ') INTO kept FROM (
        SELECT DISTINCT format('%s %s', r.kind, r.record_id) AS name
        FROM erasure_scope(p_tenant, e.named_by, e.target_id, e.subject_type, e.subject_id) r
        WHERE r.retention = 'committed' ORDER BY 1 LIMIT 10
    ) n;
    IF kept IS NOT NULL THEN
        RAISE EXCEPTION 'what was committed is never erased: %', kept
            USING ERRCODE = 'SU409', CONSTRAINT = 'erasure_of_committed';
    END IF;
    -- 4. Salt and body are destroyed, the hashes stay.
    INSERT INTO governance_erasedcontent (tenant_id, id, sha256, erasure_id, erased_at)
    SELECT DISTINCT p_tenant, i.content_id, i.sha256, p_erasure, statement_timestamp() FROM governance_erasureitem i
    WHERE i.tenant_id = p_tenant AND i.erasure_id = p_erasure;
    DELETE FROM governance_content c
    WHERE c.tenant_id = p_tenant AND c.id IN (
        SELECT i.content_id FROM governance_erasureitem i WHERE i.tenant_id = p_tenant AND i.erasure_id = p_erasure);
    UPDATE governance_erasurestate s SET status = 'executed' WHERE s.tenant_id = p_tenant AND s.erasure_id = p_erasure;
    -- 5. What was derived from them.
    FOR step IN SELECT f FROM erasing_functions('erase_copies_of_') f LOOP
        EXECUTE format('SELECT %I($1, $2)', step) USING p_tenant, p_erasure;
    END LOOP;
    -- 6. Nobody can decide on what cannot be read any more.
    FOR edit_id IN
        SELECT s.edit_id FROM governance_editstate s JOIN governance_edit x
            ON x.tenant_id = p_tenant AND x.id = s.edit_id
        WHERE s.tenant_id = p_tenant AND s.status = 'pending' AND EXISTS (
            SELECT 1 FROM governance_erasureitem i
            WHERE i.tenant_id = p_tenant AND i.erasure_id = p_erasure AND i.record_id IN (x.id, x.target_id))
        ORDER BY 1
    LOOP
        verdict_id := end_edit(p_tenant, edit_id, NULL, NULL,
            format('Its words were erased by erasure %s.', p_erasure));
        RETURN NEXT;
    END LOOP;
END $$;

-- Decide a pending erasure: approved (and executed at once) or rejected by an admin who did not propose it, withdrawn
-- by the one who did. Answers the pending edits that the execution ended.
CREATE FUNCTION decide_erasure(p_tenant uuid, p_erasure uuid, p_decision text, p_decided_by uuid, p_reason text)
RETURNS TABLE (edit_id uuid, verdict_id uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    s governance_erasurestate;
    who text;
BEGIN
    PERFORM require_tenant(p_tenant);
    who := admin_name(p_tenant, p_decided_by);
    -- The claim: of two admins at once, the second waits here and then finds the erasure decided.
    SELECT * INTO s FROM governance_erasurestate x WHERE x.tenant_id = p_tenant AND x.erasure_id = p_erasure FOR UPDATE;
    IF NOT FOUND THEN RAISE EXCEPTION 'there is no such erasure' USING ERRCODE = 'SU404'; END IF;
    IF p_decision NOT IN ('approved', 'rejected', 'withdrawn') THEN
        RAISE EXCEPTION 'an erasure is approved, rejected or withdrawn' USING ERRCODE = 'SU400';
    END IF;
    IF (p_decision = 'withdrawn') <> (s.proposed_by = p_decided_by) THEN
        RAISE EXCEPTION '%', CASE p_decision WHEN 'withdrawn' THEN 'only its proposer withdraws an erasure'
            ELSE 'nobody decides an erasure that they proposed' END USING ERRCODE = 'SU403';
    END IF;
    IF s.status <> 'pending' THEN
        RAISE EXCEPTION 'the erasure is already %', s.status USING ERRCODE = 'SU409';
    END IF;
    UPDATE governance_erasurestate x SET status = p_decision, decided_by = p_decided_by, decider = who,
        decided_at = clock_timestamp(), decision_reason = p_reason
    WHERE x.tenant_id = p_tenant AND x.erasure_id = p_erasure;
    IF p_decision = 'approved' THEN RETURN QUERY SELECT * FROM erase_content(p_tenant, p_erasure); END IF;
END $$;

SELECT governance_hand_to_gate(ARRAY[
    'erasing_functions(text)', 'retention_of_target(uuid,text,uuid)', 'erasure_scope(uuid,text,uuid,text,text)',
    'admin_name(uuid,uuid)', 'propose_erasure(uuid,uuid,text,uuid,text,text,text,uuid)', 'erase_content(uuid,uuid)',
    'decide_erasure(uuid,uuid,text,uuid,text)'
]::regprocedure[]);
SET ROLE suture_gate;
GRANT EXECUTE ON FUNCTION erasure_scope(uuid,text,uuid,text,text),
    propose_erasure(uuid,uuid,text,uuid,text,text,text,uuid), decide_erasure(uuid,uuid,text,uuid,text) TO suture_app;
RESET ROLE;

GRANT CREATE ON SCHEMA public TO suture_gate;  -- CREATE OR REPLACE asks it of the functions' owner
SET ROLE suture_gate;
-- Record a proposal under the policy in force, and apply it at once where the policy asks for no approval.
CREATE OR REPLACE FUNCTION record_edit(
    p_tenant uuid, p_id uuid, p_target_type text, p_target_id uuid, p_sensitivity text, p_op text, p_reason text,
    p_proposer_kind text, p_proposed_by uuid, p_text text, p_importance numeric, p_importance_delta numeric,
    p_channel text, p_reverts uuid, p_patch_sha256 bytea, p_batch uuid,
    OUT status text, OUT applied_at timestamptz, OUT approvals_required smallint, OUT policy text
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    who text;
    words uuid;
    salt bytea := uuid_send(gen_random_uuid());
    created timestamptz := clock_timestamp();
BEGIN
    PERFORM require_tenant(p_tenant);
    who := writer_name(p_tenant, p_proposer_kind, p_proposed_by);
    -- 1. The target, held: an erasure of it at the same time either finds this edit or is found here.
    PERFORM lock_target(p_tenant, p_target_type, p_target_id);
    IF EXISTS (SELECT 1 FROM governance_erasureitem i
               WHERE i.tenant_id = p_tenant AND i.record_id = p_target_id AND i.kind <> 'edit') THEN
        RAISE EXCEPTION 'the target was erased: nothing is left of it to edit' USING ERRCODE = 'SU409';
    END IF;
    -- What a revert cancels: an applied edit of the same target. Of two reverts at once, the second waited above.
    IF p_op = 'revert' AND NOT EXISTS (
        SELECT 1 FROM governance_edit x JOIN governance_editstate s
            ON s.tenant_id = p_tenant AND s.edit_id = x.id AND s.status = 'approved'
        WHERE x.tenant_id = p_tenant AND x.id = p_reverts AND x.target_id = p_target_id
    ) THEN
        RAISE EXCEPTION 'only an applied edit of the same target can be reverted' USING ERRCODE = 'SU409';
    END IF;
    IF p_op = 'revert' AND p_reverts = ANY (cancelled_edits(p_tenant, ARRAY[p_target_id], NULL)) THEN
        RAISE EXCEPTION 'the edit is reverted already' USING ERRCODE = 'SU409';
    END IF;
    -- 2. The policy at this moment governs the edit for good.
    SELECT r.approvals INTO approvals_required FROM governance_policyrule r
    WHERE r.tenant_id = p_tenant AND r.op = p_op AND r.proposer_kind = p_proposer_kind
      AND (r.sensitivity = p_sensitivity OR r.sensitivity IS NULL)
    ORDER BY r.sensitivity NULLS LAST LIMIT 1;
    approvals_required := coalesce(approvals_required, 2);
    SELECT t.policy INTO policy FROM governance_tenant t WHERE t.id = p_tenant;
    -- 3. The record.
    IF p_text IS NOT NULL THEN
        words := new_id();
        INSERT INTO governance_content (tenant_id, id, salt, body, sha256)
        VALUES (p_tenant, words, salt, p_text, sha256(salt || convert_to(p_text, 'UTF8')));
    END IF;
    INSERT INTO governance_edit (tenant_id, id, created_at, target_type, target_id, op, reason, proposer_kind,
        proposed_by, proposer, content_id, importance, importance_delta, channel, reverts_id, patch_sha256,
        approvals_required, policy, batch_id)
    VALUES (p_tenant, p_id, created, p_target_type, p_target_id, p_op, p_reason, p_proposer_kind, p_proposed_by,
        who, words, p_importance, p_importance_delta, p_channel, p_reverts, p_patch_sha256, approvals_required, policy, p_batch);
    INSERT INTO governance_editstate (tenant_id, edit_id, status, approvals, created_at)
    VALUES (p_tenant, p_id, 'pending', 0, created);
    status := 'pending';
    -- 4. Without need of approval the policy itself decides.
    IF approvals_required = 0 THEN
        INSERT INTO governance_verdict (tenant_id, id, edit_id, decision, decider_kind, decided_by, decider,
            decided_at, reason, proposed_by, patch_sha256)
        VALUES (p_tenant, new_id(), p_id, 'approved', 'policy', NULL, 'policy:' || policy, clock_timestamp(), '',
            p_proposed_by, p_patch_sha256);
        applied_at := apply_edit(p_tenant, p_id, 'policy:' || policy);
        status := 'approved';
    END IF;
END $$;
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM suture_gate;
