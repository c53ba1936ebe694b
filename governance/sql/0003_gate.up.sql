-- The gate of governance: the only way to record an edit or a verdict.
-- Every function takes the tenant first and refuses unless it is the transaction's. Refusals carry SQLSTATEs of our
-- own (SU400, SU403, SU404, SU409), whose message is fit to be shown to the caller.

SELECT governance_guard_always();

-- A verdict belongs to the proposal as it was reviewed: this proposer, this patch.
ALTER TABLE governance_verdict ADD CONSTRAINT verdict_of_edit_as_reviewed
    FOREIGN KEY (tenant_id, edit_id, proposed_by, patch_sha256)
    REFERENCES governance_edit (tenant_id, id, proposed_by, patch_sha256);

GRANT SELECT ON governance_tenant, governance_agent, governance_apikey, governance_membership, governance_user,
    governance_policyrule, governance_policychangestate, governance_content, governance_edit, governance_editstate, governance_verdict,
    governance_chain, governance_entry TO suture_gate;
GRANT INSERT ON governance_content, governance_edit, governance_editstate, governance_verdict, governance_chain,
    governance_entry TO suture_gate;
GRANT UPDATE ON governance_editstate, governance_chain TO suture_gate;
GRANT UPDATE (last_used_at) ON governance_apikey TO suture_gate;

-- A UUIDv7 (RFC 9562): PostgreSQL has one of its own from version 18 only. Random bits of a version 4, its first 48
-- replaced by the milliseconds since 1970, version bits 0100 turned to 0111.
CREATE FUNCTION new_id() RETURNS uuid LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
    SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
        PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
        52, 1), 53, 1), 'hex')::uuid
$$;

CREATE FUNCTION require_tenant(p_tenant uuid) RETURNS void LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF p_tenant IS DISTINCT FROM nullif(current_setting('suture.tenant', true), '')::uuid OR p_tenant IS NULL THEN
        RAISE EXCEPTION 'the tenant asked for is not the tenant of this transaction' USING ERRCODE = 'SU403';
    END IF;
END $$;

-- Look a key up by its digest and enter its tenant, in one round trip and before any tenant is known.
CREATE FUNCTION authenticate(
    p_digest bytea,
    OUT tenant_id uuid, OUT tenant_slug text, OUT key_id uuid, OUT kind text, OUT id uuid, OUT name text,
    OUT channels text[], OUT roles text[], OUT refusal text
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE k governance_apikey;
BEGIN
    SELECT * INTO k FROM governance_apikey a WHERE a.digest = p_digest;
    IF NOT FOUND THEN refusal := 'unknown'; RETURN; END IF;
    IF k.revoked_at IS NOT NULL THEN refusal := 'revoked'; RETURN; END IF;
    IF k.expires_at <= statement_timestamp() THEN refusal := 'expired'; RETURN; END IF;
    IF k.agent_id IS NOT NULL THEN
        SELECT 'agent', g.id, g.slug, g.channels, '{}'::text[] INTO kind, id, name, channels, roles
        FROM governance_agent g WHERE g.tenant_id = k.tenant_id AND g.id = k.agent_id AND g.is_active;
    ELSE
        SELECT 'human', u.id, u.username, ARRAY['private', 'public', 'team', 'agent'],
               (SELECT array_agg(m.role ORDER BY m.role) FROM governance_membership m
                WHERE m.tenant_id = k.tenant_id AND m.user_id = u.id AND m.is_active)
        INTO kind, id, name, channels, roles
        FROM governance_user u WHERE u.id = k.user_id AND u.is_active;
        IF roles IS NULL THEN kind := NULL; END IF;
    END IF;
    IF kind IS NULL THEN refusal := 'inactive'; RETURN; END IF;
    tenant_id := k.tenant_id;
    key_id := k.id;
    SELECT t.slug INTO tenant_slug FROM governance_tenant t WHERE t.id = k.tenant_id;
    EXECUTE format('SET LOCAL suture.tenant = %L', k.tenant_id);
    IF k.last_used_at IS NULL OR k.last_used_at < statement_timestamp() - interval '1 minute' THEN
        -- whoever is first writes it; nobody waits for it
        UPDATE governance_apikey a SET last_used_at = statement_timestamp()
        WHERE a.tenant_id = k.tenant_id AND a.id = (
            SELECT b.id FROM governance_apikey b WHERE b.tenant_id = k.tenant_id AND b.id = k.id
            FOR UPDATE SKIP LOCKED);
    END IF;
END $$;

-- Which tenants there are, for jobs that go from tenant to tenant. Ids only.
CREATE FUNCTION list_tenants() RETURNS TABLE (id uuid, slug text) LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT t.id, t.slug::text FROM governance_tenant t ORDER BY t.slug
$$;

-- The applied edits of some targets, in no order. Each OFFSET 0 keeps its lookup a lookup: as a join, planned while
-- the tables were still small, it read every edit of the tenant for every target (measured: a bulk of 200 edits on a
-- new server 13 s, now 0.5 s).
CREATE FUNCTION applied_edits(p_tenant uuid, p_targets uuid[], p_until timestamptz) RETURNS TABLE (
    id uuid, op text, target_id uuid, content_id uuid, importance numeric, importance_delta numeric, channel text,
    reverts_id uuid, applied_at timestamptz
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN QUERY
    SELECT x.id, x.op, x.target_id, x.content_id, x.importance, x.importance_delta, x.channel, x.reverts_id,
        s.applied_at
    FROM unnest(p_targets) t
    CROSS JOIN LATERAL (
        SELECT * FROM governance_edit e WHERE e.tenant_id = p_tenant AND e.target_id = t OFFSET 0
    ) x
    CROSS JOIN LATERAL (
        SELECT * FROM governance_editstate y WHERE y.tenant_id = p_tenant AND y.edit_id = x.id OFFSET 0
    ) s
    WHERE s.status = 'approved' AND (p_until IS NULL OR s.applied_at <= p_until);
END $$;

-- The edits of some targets that an approved revert cancels. Newest first: a revert cancels only what was applied
-- before it, and may be cancelled by a later one. p_until looks at an earlier moment.
CREATE FUNCTION cancelled_edits(p_tenant uuid, p_targets uuid[], p_until timestamptz) RETURNS uuid[] LANGUAGE plpgsql
STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    e record;
    cancelled uuid[] := '{}';
BEGIN
    FOR e IN
        SELECT x.id, x.reverts_id FROM applied_edits(p_tenant, p_targets, p_until) x WHERE x.op = 'revert'
        ORDER BY x.applied_at DESC, x.id DESC
    LOOP
        IF NOT e.id = ANY (cancelled) THEN cancelled := cancelled || e.reverts_id; END IF;
    END LOOP;
    RETURN cancelled;
END $$;

-- The fold of one target (docs/effective-memory.md): approved edits that no approved revert cancels, in order of
-- (applied_at, id). p_twins are the other records of the same memory: their retracts, quarantines, blocks and
-- amended texts hold here too, their importance does not. Exact decimal arithmetic, clamped to [0, 1]. p_until folds
-- as of an earlier moment.
CREATE FUNCTION fold_edits(
    p_tenant uuid, p_target uuid, p_twins uuid[], p_importance numeric, p_until timestamptz,
    OUT is_retracted boolean, OUT is_quarantined boolean, OUT blocked_channels text[], OUT content_id uuid,
    OUT importance numeric, OUT edits_applied int
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    e record;
    cancelled uuid[] := cancelled_edits(p_tenant, p_target || p_twins, p_until);
BEGIN
    is_retracted := false; is_quarantined := false; blocked_channels := '{}'; importance := p_importance;
    edits_applied := 0;
    FOR e IN
        SELECT * FROM applied_edits(p_tenant, p_target || p_twins, p_until) x
        WHERE x.op <> 'revert' AND NOT x.id = ANY (cancelled)
        ORDER BY x.applied_at, x.id
    LOOP
        CONTINUE WHEN e.target_id <> p_target
            AND (e.op = 'attenuate' OR e.op = 'amend' AND e.content_id IS NULL);
        edits_applied := edits_applied + 1;
        CASE e.op
            WHEN 'retract' THEN is_retracted := true;
            WHEN 'quarantine' THEN is_quarantined := true;
            WHEN 'block' THEN
                IF NOT e.channel = ANY (blocked_channels) THEN blocked_channels := blocked_channels || e.channel; END IF;
            WHEN 'amend' THEN
                content_id := coalesce(e.content_id, content_id);
                IF e.target_id = p_target THEN importance := coalesce(e.importance, importance); END IF;
            WHEN 'attenuate' THEN
                importance := greatest(0, least(1, coalesce(e.importance, importance + e.importance_delta)));
        END CASE;
    END LOOP;
    -- one order, whatever the order of the edits: the projection is compared with this
    SELECT coalesce(array_agg(c ORDER BY c), '{}') INTO blocked_channels FROM unnest(blocked_channels) c;
END $$;

-- Hold the target of an edit, with whatever else of its memory an edit changes, to the end of the transaction.
CREATE FUNCTION lock_target(p_tenant uuid, p_target_type text, p_target_id uuid) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    EXECUTE format('SELECT %I($1, $2, true)', 'state_of_' || p_target_type) USING p_tenant, p_target_id;
END $$;

-- Bring an approved edit into effect: stamp it, then let its target's own app refold it (refold_<target_type>). It is
-- stamped under the target's lock: the order of application is the order in which the effects were committed.
CREATE FUNCTION apply_edit(p_tenant uuid, p_edit uuid, p_approver text) RETURNS timestamptz LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    e governance_edit;
    applied timestamptz;
BEGIN
    SELECT * INTO STRICT e FROM governance_edit x WHERE x.tenant_id = p_tenant AND x.id = p_edit;
    PERFORM lock_target(p_tenant, e.target_type, e.target_id);
    applied := clock_timestamp();
    UPDATE governance_editstate s SET status = 'approved', applied_at = applied, approved_by = p_approver
    WHERE s.tenant_id = p_tenant AND s.edit_id = p_edit;
    EXECUTE format('SELECT %I($1, $2)', 'refold_' || e.target_type) USING p_tenant, e.target_id;
    RETURN applied;
END $$;

-- The name of who writes, from the record and not from the caller's word.
CREATE FUNCTION writer_name(p_tenant uuid, p_kind text, p_id uuid) RETURNS text LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE who text;
BEGIN
    IF p_kind = 'agent' THEN
        SELECT a.slug INTO who FROM governance_agent a
        WHERE a.tenant_id = p_tenant AND a.id = p_id AND a.is_active;
    ELSE
        SELECT u.username INTO who FROM governance_user u JOIN governance_membership m
            ON m.tenant_id = p_tenant AND m.user_id = u.id AND m.is_active AND m.role IN ('reviewer', 'admin')
        WHERE u.id = p_id AND u.is_active LIMIT 1;
    END IF;
    IF who IS NULL THEN
        RAISE EXCEPTION 'only an active agent, reviewer or admin of the tenant may write' USING ERRCODE = 'SU403';
    END IF;
    RETURN who;
END $$;

-- Record a proposal under the policy in force, and apply it at once where the policy asks for no approval.
CREATE FUNCTION record_edit(
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
    -- 1. What a revert cancels: an applied edit of the same target. Of two reverts at once, the second waits here.
    IF p_op = 'revert' THEN PERFORM lock_target(p_tenant, p_target_type, p_target_id); END IF;
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

-- Record a person's verdict. Role, separation of duties and the reviewed patch are checked here once more.
CREATE FUNCTION record_verdict(
    p_tenant uuid, p_edit uuid, p_decision text, p_decided_by uuid, p_reason text, p_patch_sha256 bytea,
    p_target_state text,
    OUT verdict_id uuid, OUT status text, OUT applied_at timestamptz, OUT approvals smallint
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    e governance_edit;
    s governance_editstate;
    who text;
    state text;
BEGIN
    PERFORM require_tenant(p_tenant);
    -- 1. The claim: of two reviewers at once, the second waits here and then finds the edit decided.
    SELECT * INTO s FROM governance_editstate x WHERE x.tenant_id = p_tenant AND x.edit_id = p_edit FOR UPDATE;
    IF NOT FOUND THEN RAISE EXCEPTION 'there is no such edit' USING ERRCODE = 'SU404'; END IF;
    SELECT * INTO STRICT e FROM governance_edit x WHERE x.tenant_id = p_tenant AND x.id = p_edit;
    -- 2. Who decides.
    SELECT u.username INTO who FROM governance_user u JOIN governance_membership m
        ON m.tenant_id = p_tenant AND m.user_id = u.id AND m.is_active AND m.role IN ('reviewer', 'admin')
    WHERE u.id = p_decided_by AND u.is_active LIMIT 1;
    IF who IS NULL THEN
        RAISE EXCEPTION 'only a reviewer or admin of the tenant may decide an edit' USING ERRCODE = 'SU403';
    END IF;
    IF e.proposed_by = p_decided_by THEN
        RAISE EXCEPTION 'nobody decides an edit that they proposed' USING ERRCODE = 'SU403';
    END IF;
    -- 3. What is decided.
    IF s.status <> 'pending' THEN
        RAISE EXCEPTION 'the edit is already %', s.status USING ERRCODE = 'SU409';
    END IF;
    IF e.patch_sha256 <> p_patch_sha256 THEN
        RAISE EXCEPTION 'the patch reviewed is not the patch of this edit' USING ERRCODE = 'SU409';
    END IF;
    -- the target as the reviewer saw it, locked so that no other verdict changes it meanwhile
    IF p_target_state IS NOT NULL THEN
        EXECUTE format('SELECT %I($1, $2, true)', 'state_of_' || e.target_type)
            INTO state USING p_tenant, e.target_id;
        IF state IS DISTINCT FROM p_target_state THEN
            RAISE EXCEPTION 'the target has changed since it was reviewed'
                USING ERRCODE = 'SU409', CONSTRAINT = 'edit_target_is_stale';
        END IF;
    END IF;
    IF EXISTS (SELECT 1 FROM governance_verdict v
               WHERE v.tenant_id = p_tenant AND v.edit_id = p_edit AND v.decided_by = p_decided_by) THEN
        RAISE EXCEPTION 'you have decided this edit already; the second approval is another person''s'
            USING ERRCODE = 'SU409';
    END IF;
    -- 4. The verdict and what follows from it.
    verdict_id := new_id();
    INSERT INTO governance_verdict (tenant_id, id, edit_id, decision, decider_kind, decided_by, decider, decided_at,
        reason, proposed_by, patch_sha256)
    VALUES (p_tenant, verdict_id, p_edit, p_decision, 'human', p_decided_by, who, clock_timestamp(), p_reason,
        e.proposed_by, e.patch_sha256);
    approvals := s.approvals;
    status := 'pending';
    IF p_decision = 'rejected' THEN
        status := 'rejected';
        UPDATE governance_editstate x SET status = 'rejected' WHERE x.tenant_id = p_tenant AND x.edit_id = p_edit;
    ELSE
        approvals := s.approvals + 1;
        UPDATE governance_editstate x SET approvals = s.approvals + 1
        WHERE x.tenant_id = p_tenant AND x.edit_id = p_edit;
        IF approvals >= e.approvals_required THEN
            applied_at := apply_edit(p_tenant, p_edit, who);
            status := 'approved';
        END IF;
    END IF;
END $$;

-- Many proposals in one call, in the given order; each a JSON object whose keys are record_edit's parameters. With
-- p_each a proposal that is refused is left out and says why; without it a refusal undoes all.
CREATE FUNCTION record_edits(
    p_tenant uuid, p_proposer_kind text, p_proposed_by uuid, p_batch uuid, p_edits json, p_each boolean
) RETURNS TABLE (id uuid, status text, applied_at timestamptz, approvals_required smallint, policy text, refusal text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    e record;
    r record;
    failed text;
BEGIN
    PERFORM require_tenant(p_tenant);
    -- all targets first, in one order: two batches of the same targets in opposite orders would wait for each other
    FOR e IN
        SELECT DISTINCT x.target_type, x.target_id FROM json_to_recordset(p_edits) AS x (target_type text,
            target_id uuid) ORDER BY x.target_id
    LOOP
        PERFORM lock_target(p_tenant, e.target_type, e.target_id);
    END LOOP;
    FOR e IN
        SELECT * FROM json_to_recordset(p_edits) AS x (id uuid, target_type text, target_id uuid, sensitivity text,
            op text, reason text, text text, importance numeric, importance_delta numeric, channel text, reverts uuid,
            patch_sha256 text)
    LOOP
        id := e.id; status := NULL; applied_at := NULL; approvals_required := NULL; policy := NULL; refusal := NULL;
        BEGIN
            SELECT * INTO r FROM record_edit(p_tenant, e.id, e.target_type, e.target_id, e.sensitivity, e.op, e.reason,
                p_proposer_kind, p_proposed_by, e.text, e.importance, e.importance_delta, e.channel, e.reverts,
                decode(e.patch_sha256, 'hex'), p_batch);
            status := r.status; applied_at := r.applied_at; approvals_required := r.approvals_required;
            policy := r.policy;
        EXCEPTION WHEN SQLSTATE 'SU404' OR SQLSTATE 'SU409' THEN
            IF NOT p_each THEN RAISE; END IF;
            GET STACKED DIAGNOSTICS failed = MESSAGE_TEXT;
            refusal := failed;
        END;
        RETURN NEXT;
    END LOOP;
END $$;

-- End a pending edit without effect: its proposer withdraws it, or the policy lets it expire (p_by NULL).
CREATE FUNCTION end_edit(p_tenant uuid, p_edit uuid, p_by_kind text, p_by uuid, p_reason text) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    e governance_edit;
    s governance_editstate;
    ended text := CASE WHEN p_by IS NULL THEN 'expired' ELSE 'withdrawn' END;
    verdict uuid := new_id();
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT * INTO s FROM governance_editstate x WHERE x.tenant_id = p_tenant AND x.edit_id = p_edit FOR UPDATE;
    IF NOT FOUND THEN RAISE EXCEPTION 'there is no such edit' USING ERRCODE = 'SU404'; END IF;
    SELECT * INTO STRICT e FROM governance_edit x WHERE x.tenant_id = p_tenant AND x.id = p_edit;
    IF p_by IS NOT NULL AND (e.proposed_by <> p_by OR e.proposer_kind <> p_by_kind) THEN
        RAISE EXCEPTION 'only its proposer withdraws an edit' USING ERRCODE = 'SU403';
    END IF;
    IF s.status <> 'pending' THEN RAISE EXCEPTION 'the edit is already %', s.status USING ERRCODE = 'SU409'; END IF;
    INSERT INTO governance_verdict (tenant_id, id, edit_id, decision, decider_kind, decided_by, decider, decided_at,
        reason, proposed_by, patch_sha256)
    VALUES (p_tenant, verdict, p_edit, ended, CASE WHEN p_by IS NULL THEN 'policy' ELSE p_by_kind END, p_by,
        CASE WHEN p_by IS NULL THEN 'policy:' || e.policy ELSE e.proposer END, clock_timestamp(), p_reason,
        e.proposed_by, e.patch_sha256);
    UPDATE governance_editstate x SET status = ended WHERE x.tenant_id = p_tenant AND x.edit_id = p_edit;
    RETURN verdict;
END $$;

-- Claim pending edits older than p_before, oldest first; rows that another worker or reviewer holds are passed over.
CREATE FUNCTION claim_overdue_edits(p_tenant uuid, p_before timestamptz, p_limit int) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY SELECT s.edit_id FROM governance_editstate s
        WHERE s.tenant_id = p_tenant AND s.status = 'pending' AND s.created_at < p_before
        ORDER BY s.created_at LIMIT p_limit FOR UPDATE SKIP LOCKED;
END $$;

-- The words of proposed amendments, for those whom the API lets see the edits.
CREATE FUNCTION get_edit_texts(p_tenant uuid, p_edits uuid[]) RETURNS TABLE (edit_id uuid, body text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY SELECT e.id, c.body FROM governance_edit e
        JOIN governance_content c ON c.tenant_id = p_tenant AND c.id = e.content_id
        WHERE e.tenant_id = p_tenant AND e.id = ANY (p_edits);
END $$;

SELECT governance_hand_to_gate(ARRAY[
    'new_id()', 'require_tenant(uuid)', 'authenticate(bytea)', 'list_tenants()',
    'applied_edits(uuid,uuid[],timestamptz)', 'cancelled_edits(uuid,uuid[],timestamptz)',
    'fold_edits(uuid,uuid,uuid[],numeric,timestamptz)',
    'lock_target(uuid,text,uuid)', 'apply_edit(uuid,uuid,text)', 'writer_name(uuid,text,uuid)',
    'record_edit(uuid,uuid,text,uuid,text,text,text,text,uuid,text,numeric,numeric,text,uuid,bytea,uuid)',
    'record_verdict(uuid,uuid,text,uuid,text,bytea,text)', 'record_edits(uuid,text,uuid,uuid,json,boolean)',
    'end_edit(uuid,uuid,text,uuid,text)', 'claim_overdue_edits(uuid,timestamptz,int)',
    'get_edit_texts(uuid,uuid[])'
]::regprocedure[]);

SET ROLE suture_gate;
GRANT EXECUTE ON FUNCTION authenticate(bytea), list_tenants(),
    record_edit(uuid,uuid,text,uuid,text,text,text,text,uuid,text,numeric,numeric,text,uuid,bytea,uuid),
    record_verdict(uuid,uuid,text,uuid,text,bytea,text), record_edits(uuid,text,uuid,uuid,json,boolean),
    end_edit(uuid,uuid,text,uuid,text), claim_overdue_edits(uuid,timestamptz,int),
    get_edit_texts(uuid,uuid[]) TO suture_app;
-- maintenance (verify_effective) runs as the owner
GRANT EXECUTE ON FUNCTION fold_edits(uuid,uuid,uuid[],numeric,timestamptz), require_tenant(uuid), list_tenants()
    TO suture_owner;
RESET ROLE;

-- The web's own rights. Not a word (content), and nothing that only the gate writes.
GRANT SELECT ON governance_edit, governance_editstate, governance_verdict, governance_chain, governance_entry
    TO suture_app;
GRANT SELECT, INSERT, UPDATE ON governance_tenant, governance_agent, governance_apikey, governance_membership,
    governance_user TO suture_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON governance_policyrule, governance_idempotencykey TO suture_app;
GRANT SELECT, INSERT ON governance_policychange TO suture_app;
GRANT SELECT, INSERT, UPDATE ON governance_policychangestate TO suture_app;
GRANT SELECT ON governance_content, governance_tenant, governance_edit, governance_editstate, governance_verdict
    TO suture_review;
