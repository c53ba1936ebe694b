-- owner suture_owner; EXECUTE to suture_owner
CREATE OR REPLACE FUNCTION public._pgtrigger_should_ignore(trigger_name name)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
                DECLARE
                    _pgtrigger_ignore TEXT[];
                    _result BOOLEAN;
                BEGIN
                    BEGIN
                        SELECT INTO _pgtrigger_ignore
                            CURRENT_SETTING('pgtrigger.ignore');
                        EXCEPTION WHEN OTHERS THEN
                    END;
                    IF _pgtrigger_ignore IS NOT NULL THEN
                        SELECT trigger_name = ANY(_pgtrigger_ignore)
                        INTO _result;
                        RETURN _result;
                    ELSE
                        RETURN FALSE;
                    END IF;
                END;
            $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.acting(p_tenant uuid)
 RETURNS acting_context
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    part text[];
    found acting_context;
BEGIN
    PERFORM require_tenant(p_tenant);
    part := string_to_array(substr(current_setting('suture.context', true), 65), '|');
    found := (part[3]::uuid, part[4], part[5]::uuid, part[6], string_to_array(part[7], ','), string_to_array(part[8], ','),
        nullif(part[9], '')::uuid);
    RETURN found;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.acting_admin(p_tenant uuid)
 RETURNS acting_context
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    IF me.kind <> 'human' OR NOT 'admin' = ANY (me.roles) THEN
        RAISE EXCEPTION 'only an admin of the tenant can do this' USING ERRCODE = 'SU403';
    END IF;
    RETURN me;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.acting_manager(p_tenant uuid)
 RETURNS acting_context
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    IF me.kind <> 'system' AND NOT (me.kind = 'human' AND 'admin' = ANY (me.roles)) THEN
        RAISE EXCEPTION 'only an admin of the tenant manages its agents, keys, roles and settings'
            USING ERRCODE = 'SU403', CONSTRAINT = 'managed_by_admins';
    END IF;
    RETURN me;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.acting_superuser(p_tenant uuid)
 RETURNS acting_context
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    IF me.kind <> 'system' AND NOT (me.kind = 'human' AND is_superuser(me.id)) THEN
        RAISE EXCEPTION 'only a superuser deactivates or activates an account'
            USING ERRCODE = 'SU403', CONSTRAINT = 'managed_by_superusers';
    END IF;
    RETURN me;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.acting_writer(p_tenant uuid)
 RETURNS acting_context
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    IF me.kind <> 'agent' AND NOT (me.kind = 'human' AND me.roles && '{reviewer,admin}') THEN
        RAISE EXCEPTION 'only an active agent, reviewer or admin of the tenant can write' USING ERRCODE = 'SU403';
    END IF;
    RETURN me;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.active_task_ids(p_tenant uuid, p_session_id text, p_subject_type text, p_subject_id text, p_project_id text, p_listening text[], p_sensitivities text[], p_include_quarantined boolean, p_with_hidden boolean, p_limit integer)
 RETURNS TABLE(task_id uuid, is_hidden boolean)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    RETURN QUERY
    SELECT u.id, NOT bool_or(u.is_seen)
    FROM (
        (SELECT x.id, x.status, x.ts, true AS is_asked,
            why_task_hidden(x, p_listening, p_sensitivities, p_include_quarantined) IS NULL AS is_seen
         FROM memory_effectivetask x
         WHERE x.tenant_id = v_tenant AND x.session_id = p_session_id
           AND x.status IN ('open', 'doing') AND NOT x.is_retracted
           AND (p_with_hidden OR why_task_hidden(x, p_listening, p_sensitivities, p_include_quarantined) IS NULL)
         ORDER BY x.status, x.ts DESC, x.id DESC LIMIT p_limit)
        UNION ALL
        SELECT t.id, t.status, t.ts, k.subject_id <> '' OR k.project_id <> '', t.is_seen
        FROM (SELECT DISTINCT s.subject_type, s.subject_id, p.project_id
              FROM (VALUES ('', ''), (coalesce(p_subject_type, ''), coalesce(p_subject_id, '')))
                  AS s (subject_type, subject_id)
              CROSS JOIN (VALUES (''), (coalesce(p_project_id, ''))) AS p (project_id)) k
        CROSS JOIN LATERAL (
            SELECT x.id, x.status, x.ts,
                why_task_hidden(x, p_listening, p_sensitivities, p_include_quarantined) IS NULL AS is_seen
            FROM memory_effectivetask x
            WHERE x.tenant_id = v_tenant AND coalesce(x.subject_type, '') = k.subject_type
              AND coalesce(x.subject_id, '') = k.subject_id AND coalesce(x.project_id, '') = k.project_id
              AND x.status IN ('open', 'doing') AND NOT x.is_retracted
              AND (p_with_hidden OR why_task_hidden(x, p_listening, p_sensitivities, p_include_quarantined) IS NULL)
            ORDER BY x.status, x.ts DESC, x.id DESC LIMIT p_limit
        ) t
    ) u
    GROUP BY u.id, u.status, u.ts
    ORDER BY bool_or(u.is_asked) DESC, u.status, u.ts DESC, u.id DESC LIMIT p_limit;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.agent_memory_rows(p_tenant uuid, p_ids uuid[], p_listening text[], p_sensitivities text[], p_include_quarantined boolean, p_include_superseded boolean)
 RETURNS SETOF agent_memory_row
 LANGUAGE sql
 STABLE
AS $function$
    SELECT m.seq, x.id, m.type, span_of(c.body, x.span_start, x.span_end),
        encode(c.sha256, 'hex'), x.importance, k.retention, x.tier, x.ts,
        x.channel, x.sensitivity, x.scope, x.subject_type, x.subject_id, x.project_id, x.session_id, x.tags,
        x.is_superseded, CASE WHEN x.is_superseded THEN (
            SELECT s.seq FROM memory_agentmemory s WHERE s.tenant_id = p_tenant AND s.id = x.superseded_by) END,
        ARRAY(SELECT s.superseded_seq FROM memory_supersession s WHERE s.tenant_id = p_tenant
            AND s.successor_id = x.id AND s.kind = 'consolidation' ORDER BY 1),
        nullif(m.reason, ''), m.block_label, m.version, m.previous_block_seq, m.is_core, m.expires_at, x.edits_applied,
        x.is_quarantined, coalesce(a.access_count, 0), a.last_accessed
    FROM unnest(p_ids) AS i (id)
    CROSS JOIN LATERAL (
        SELECT y.* FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = i.id
          AND is_seen_in_chain(y, p_listening, p_sensitivities, p_include_quarantined, p_include_superseded) LIMIT 1) x
    CROSS JOIN LATERAL (
        SELECT y.* FROM memory_agentmemory y WHERE y.tenant_id = p_tenant AND y.id = i.id LIMIT 1) m
    CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k
    CROSS JOIN LATERAL content_of(p_tenant, x.content_id) c
    LEFT JOIN LATERAL (
        SELECT y.access_count, y.last_accessed FROM memory_chunkaccess y
        WHERE y.tenant_id = p_tenant AND y.id = i.id LIMIT 1) a ON true
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.amended_text(p_tenant uuid, p_event uuid)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    piece record;
    reached int := 0;
    pieces text[] := '{}';
BEGIN
    FOR piece IN
        SELECT c.body, x.span_start, x.span_end FROM effective_chunks_of(p_tenant, p_event) x
        CROSS JOIN LATERAL content_of(p_tenant, x.content_id) c
        WHERE NOT x.is_retracted AND x.superseded_by IS NULL
        ORDER BY x.chunk_index
    LOOP
        IF piece.span_end IS NULL THEN
            pieces := pieces || piece.body;
        ELSE
            pieces := pieces || btrim(span_of(piece.body, greatest(piece.span_start, reached), piece.span_end));
            reached := piece.span_end;
        END IF;
    END LOOP;
    RETURN array_to_string(pieces, E'\n');
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.answer_invitation(p_token text, p_invitation uuid, p_accepts boolean, OUT tenant uuid, OUT granted text[], OUT refusal text)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    u governance_user;
    i governance_invitation;
BEGIN
    -- Whoever resets the account meanwhile (lock_account) waits here, or is waited for.
    SELECT * INTO u FROM governance_user x WHERE x.id = token_bearer(p_token) AND x.is_active FOR KEY SHARE;
    SELECT * INTO i FROM governance_invitation x WHERE x.id = p_invitation AND x.username = u.username FOR UPDATE;
    IF i.id IS NULL THEN refusal := 'no_such_invitation'; RETURN; END IF;
    IF i.status <> 'pending' OR i.expires_at <= statement_timestamp() OR u.reset_at >= i.created_at
        OR u.one_time_password_until IS NOT NULL
    THEN
        refusal := 'invitation_not_open'; RETURN;
    END IF;
    UPDATE governance_invitation x SET status = CASE WHEN p_accepts THEN 'accepted' ELSE 'declined' END,
        answered_at = clock_timestamp()
    WHERE x.tenant_id = i.tenant_id AND x.id = i.id;
    tenant := i.tenant_id;
    granted := '{}';
    IF NOT p_accepts THEN RETURN; END IF;
    SELECT coalesce(array_agg(r ORDER BY r), '{}') INTO granted FROM unnest(i.roles) r
    WHERE put_role(i.tenant_id, u.id, r);
    PERFORM owe_entry(i.tenant_id, 'invitation.accepted', i.id::text, u.id::text);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.any_term(p_terms text[])
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
    SELECT string_agg(format($q$'%s'$q$, replace(replace(t, '\', '\\'), '''', '''''')), '|')::tsquery
    FROM unnest(p_terms) t
$function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate, EXECUTE to suture_owner
CREATE OR REPLACE FUNCTION public.append_entries(p_tenant uuid, p_chain uuid, p_ids uuid[], p_canonical bytea[], p_signatures bytea[], p_public_key bytea, p_next_key bytea)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    me acting_context := acting(p_tenant);
    c governance_chain;
    e jsonb;
    digest bytea;
    owes boolean := EXISTS (SELECT FROM governance_owedentry o WHERE o.tenant_id = p_tenant);
BEGIN
    SELECT * INTO STRICT c FROM governance_chain x WHERE x.tenant_id = p_tenant AND x.id = p_chain FOR UPDATE;
    IF c.public_key IS DISTINCT FROM p_public_key THEN
        RAISE EXCEPTION 'the chain is not signed with this key' USING ERRCODE = 'SU409';
    END IF;
    FOR i IN 1 .. cardinality(p_ids) LOOP
        e := convert_from(p_canonical[i], 'UTF8')::jsonb;
        digest := sha256(p_canonical[i]);
        IF (e ->> 'tenant' = p_tenant::text AND e ->> 'chain' = c.name AND (e ->> 'seq')::bigint = c.seq + 1
            AND e ->> 'prev_hash' = encode(c.head, 'hex') AND (e ->> 'ts')::timestamptz > c.ts
            AND octet_length(p_signatures[i]) = 64) IS NOT TRUE
        THEN
            RAISE EXCEPTION 'the entry does not follow the head of its chain' USING ERRCODE = 'SU409';
        END IF;
        -- a job works as the operator
        IF (e #>> '{metadata,actor,kind}' = CASE me.kind WHEN 'job' THEN 'system' ELSE me.kind END
            AND e #>> '{metadata,actor,id}' = me.id::text
            AND (me.kind IN ('job', 'system') OR e #>> '{metadata,actor,name}' = me.name)) IS NOT TRUE
        THEN
            RAISE EXCEPTION 'the entry names another actor than the one who acts' USING ERRCODE = 'SU403';
        END IF;
        INSERT INTO governance_entry (tenant_id, id, chain_id, seq, ts, type, retention, content_hash, metadata,
            prev_hash, canonical, hash, signature)
        VALUES (p_tenant, p_ids[i], p_chain, c.seq + 1, (e ->> 'ts')::timestamptz, e ->> 'type', e ->> 'retention',
            decode(e ->> 'content_hash', 'hex'), e -> 'metadata', c.head, p_canonical[i], digest, p_signatures[i]);
        IF owes THEN PERFORM settle_entry(p_tenant, e ->> 'type', e -> 'metadata'); END IF;
        c.seq := c.seq + 1; c.head := digest; c.ts := (e ->> 'ts')::timestamptz;
    END LOOP;
    UPDATE governance_chain x SET seq = c.seq, head = c.head, ts = c.ts,
        public_key = coalesce(p_next_key, c.public_key)
    WHERE x.tenant_id = p_tenant AND x.id = p_chain;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.append_leaves(p_tenant uuid, p_kind text, p_table text, p_ids uuid[], p_hashes bytea[])
 RETURNS TABLE(leaf_position bigint, leaf_row uuid, leaf_hash bytea)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
    base bigint;
    added bigint;
    known uuid[];
BEGIN
    PERFORM require_job(p_tenant);
    IF NOT EXISTS (SELECT FROM pg_trigger g WHERE g.tgrelid = to_regclass(quote_ident(p_table))
                   AND g.tgfoid = 'governance_deny_change'::regproc) THEN
        RAISE EXCEPTION 'only append-only tables can be sealed, not %', p_table USING ERRCODE = 'SU400';
    END IF;
    SELECT t.size INTO STRICT base FROM governance_merkletree t WHERE t.tenant_id = p_tenant FOR UPDATE;
    IF p_hashes IS NULL THEN
        EXECUTE format('SELECT array_agg(x.id ORDER BY x.id), array_agg(leaf_hash(x.leaf) ORDER BY x.id) FROM %I($1, $2) x',
            'leaves_of_' || p_kind) INTO p_ids, p_hashes USING p_tenant, p_ids;
    END IF;
    known := ARRAY(SELECT l.row_id FROM governance_leaf l
        WHERE l.tenant_id = p_tenant AND l.kind = p_kind AND l.row_id = ANY (p_ids));
    RETURN QUERY
    INSERT INTO governance_leaf AS l (tenant_id, position, kind, row_id, hash)
    SELECT p_tenant, base + row_number() OVER (ORDER BY n.place) - 1, p_kind, n.id, n.hash
    FROM unnest(p_ids, p_hashes) WITH ORDINALITY n (id, hash, place) WHERE n.id <> ALL (known)
    RETURNING l.position, l.row_id, l.hash;
    GET DIAGNOSTICS added = ROW_COUNT;
    UPDATE governance_merkletree t SET size = base + added WHERE t.tenant_id = p_tenant;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.applied_edits(p_tenant uuid, p_targets uuid[], p_until timestamp with time zone, p_also applied_edit DEFAULT NULL::applied_edit)
 RETURNS SETOF applied_edit
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
    RETURN QUERY
    SELECT x.id, x.op, x.target_id, x.content_id, x.importance::numeric, x.importance_delta::numeric, x.channel,
        x.reverts_id, s.applied_at, NULL::text
    FROM unnest(p_targets) t
    CROSS JOIN LATERAL (
        SELECT * FROM governance_edit e WHERE e.tenant_id = p_tenant AND e.target_id = t OFFSET 0
    ) x
    CROSS JOIN LATERAL (
        SELECT * FROM governance_editstate y WHERE y.tenant_id = p_tenant AND y.edit_id = x.id OFFSET 0
    ) s
    WHERE s.status = 'approved' AND (p_until IS NULL OR s.applied_at <= p_until);
    IF p_also.target_id = ANY (p_targets) THEN
        p_also.applied_at := 'infinity';
        RETURN NEXT p_also;
    END IF;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.apply_due_policy_changes(p_tenant uuid)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE c governance_policychange;
BEGIN
    PERFORM require_job(p_tenant);
    -- Most often there is none. Each one that is applied lets the others wait for a second admin (write_policy_rules).
    SELECT x.* INTO c FROM governance_policychangestate s
    JOIN governance_policychange x ON x.tenant_id = p_tenant AND x.id = s.change_id
    WHERE s.tenant_id = p_tenant AND s.status = 'pending' AND s.takes_effect_at <= statement_timestamp()
    ORDER BY s.takes_effect_at LIMIT 1;
    IF NOT FOUND THEN RETURN; END IF;
    -- the tenant first, as whoever proposes or decides does
    PERFORM FROM governance_tenant t WHERE t.id = p_tenant FOR NO KEY UPDATE;
    UPDATE governance_policychangestate s SET status = 'applied', decided_by = '00000000-0000-0000-0000-000000000000',
        decider = 'policy', decided_at = clock_timestamp(), takes_effect_at = NULL
    WHERE s.tenant_id = p_tenant AND s.change_id = c.id AND s.status = 'pending' AND s.takes_effect_at IS NOT NULL;
    IF NOT FOUND THEN RETURN; END IF;
    PERFORM write_policy_rules(p_tenant, c.preset, c.overrides, c.promotion);
    PERFORM owe_entry(p_tenant, 'policy.changed', c.id::text);
    RETURN NEXT c.id;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.apply_edit(p_tenant uuid, p_edit uuid, p_approver text)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    e governance_edit;
    applied timestamptz;
BEGIN
    SELECT * INTO STRICT e FROM governance_edit x WHERE x.tenant_id = p_tenant AND x.id = p_edit;
    applied := clock_timestamp();
    UPDATE governance_editstate s SET status = 'approved', applied_at = applied, approved_by = p_approver
    WHERE s.tenant_id = p_tenant AND s.edit_id = p_edit;
    EXECUTE format('SELECT %I($1, $2)', 'refold_' || e.target_type) USING p_tenant, e.target_id;
    IF to_regprocedure(format('%I(uuid,uuid)', 'follow_edit_of_' || e.target_type)) IS NOT NULL THEN
        EXECUTE format('SELECT %I($1, $2)', 'follow_edit_of_' || e.target_type) USING p_tenant, p_edit;
    END IF;
    RETURN applied;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.approvals_for(p_tenant uuid, p_op text, p_kind text, p_sensitivity text)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    RETURN coalesce((
        SELECT r.approvals FROM governance_policyrule r
        WHERE r.tenant_id = p_tenant AND r.op = p_op AND r.proposer_kind = p_kind
          AND (r.sensitivity = p_sensitivity OR r.sensitivity IS NULL)
        ORDER BY r.sensitivity NULLS LAST LIMIT 1), 0);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.associated_with(p_tenant uuid, p_subject_type text, p_subject_id text, p_listening text[], p_sensitivities text[], p_include_quarantined boolean, OUT projects text[], OUT sessions text[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    SELECT coalesce(array_agg(DISTINCT x.project_id) FILTER (WHERE x.project_id IS NOT NULL), '{}'),
           coalesce(array_agg(DISTINCT x.session_id) FILTER (WHERE x.session_id IS NOT NULL), '{}')
    INTO projects, sessions
    FROM memory_effectivechunk x
    WHERE x.tenant_id = v_tenant AND x.subject_id = p_subject_id AND x.subject_type IS NOT NULL
      AND (p_subject_type IS NULL OR x.subject_type = p_subject_type)
      AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.authenticate(p_digest bytea, OUT tenant_id uuid, OUT tenant_slug text, OUT key_id uuid, OUT kind text, OUT id uuid, OUT name text, OUT channels text[], OUT roles text[], OUT refusal text, OUT fingerprint bytea)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE k governance_apikey;
BEGIN
    SELECT * INTO k FROM governance_apikey a WHERE a.digest = p_digest;
    IF NOT FOUND THEN refusal := 'unknown'; RETURN; END IF;
    IF k.revoked_at IS NOT NULL THEN refusal := 'revoked'; RETURN; END IF;
    IF k.expires_at <= statement_timestamp() THEN refusal := 'expired'; RETURN; END IF;
    IF k.agent_id IS NOT NULL THEN
        SELECT 'agent', g.id, g.slug, g.channels,
               CASE WHEN g.reads_quarantined THEN '{quarantine_reader}' ELSE '{}' END::text[]
        INTO kind, id, name, channels, roles
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
    fingerprint := sha256(convert_to(ROW(tenant_id, tenant_slug, kind, id, name, channels, roles)::text, 'UTF8'));
    PERFORM open_context(tenant_id, kind, id, name, roles, channels, k.issued_by);
    IF k.last_used_at IS NULL OR k.last_used_at < statement_timestamp() - interval '1 minute' THEN
        -- the first transaction writes it; the others skip it
        UPDATE governance_apikey a SET last_used_at = statement_timestamp()
        WHERE a.tenant_id = k.tenant_id AND a.id = (
            SELECT b.id FROM governance_apikey b WHERE b.tenant_id = k.tenant_id AND b.id = k.id
            FOR UPDATE SKIP LOCKED);
    END IF;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.begin_embeddings(p_tenant uuid, p_model text, p_dimensions integer, p_limit integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    m memory_embeddingmodel;
    next uuid[];
BEGIN
    PERFORM require_job(p_tenant);
    INSERT INTO memory_embeddingmodel (tenant_id, id, model, dimensions, is_complete, row_count)
    SELECT p_tenant, new_id(), p_model, p_dimensions, false, 0
    WHERE NOT EXISTS (SELECT FROM memory_embeddingmodel x WHERE x.tenant_id = p_tenant AND x.model = p_model)
    ON CONFLICT DO NOTHING;
    SELECT * INTO m FROM memory_embeddingmodel x WHERE x.tenant_id = p_tenant AND x.model = p_model AND x.filled_at IS NULL
    FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN RETURN false; END IF;
    next := ARRAY(
        SELECT x.id FROM memory_effectivechunk x
        WHERE x.tenant_id = p_tenant AND x.id > coalesce(m.filled_to, '00000000-0000-0000-0000-000000000000')
        ORDER BY x.id LIMIT p_limit);
    INSERT INTO memory_embeddingitem (tenant_id, id, state, due_at, tries)
    SELECT p_tenant, c.id, 'waiting', statement_timestamp(), 0 FROM unnest(next) AS c (id)
    CROSS JOIN LATERAL (
        SELECT FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.id = c.id
          AND NOT x.is_retracted AND x.superseded_by IS NULL LIMIT 1) seen
    WHERE NOT EXISTS (SELECT FROM memory_embedding e WHERE e.tenant_id = p_tenant AND e.chunk_id = c.id
        AND e.space = 'E1' AND e.model = p_model)
    ON CONFLICT (tenant_id, id) DO NOTHING;
    UPDATE memory_embeddingmodel x SET filled_to = coalesce(next[cardinality(next)], x.filled_to),
        filled_at = CASE WHEN cardinality(next) < p_limit THEN statement_timestamp() END
    WHERE x.tenant_id = p_tenant AND x.id = m.id;
    RETURN cardinality(next) = p_limit;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.begin_second_factor(p_token text, p_key text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE person uuid := token_bearer(p_token);
BEGIN
    PERFORM FROM governance_user u WHERE u.id = person FOR NO KEY UPDATE;
    IF EXISTS (SELECT FROM otp_totp_totpdevice d WHERE d.user_id = person AND d.confirmed) THEN RETURN false; END IF;
    DELETE FROM otp_totp_totpdevice d WHERE d.user_id = person;
    INSERT INTO otp_totp_totpdevice (user_id, name, confirmed, key, step, t0, digits, tolerance, drift, last_t,
        throttling_failure_count, created_at)
    VALUES (person, 'second factor', false, p_key, 30, 0, 6, 1, 0, -1, 0, clock_timestamp());
    RETURN true;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.begin_turn(p_tenant uuid, p_owner uuid, p_session text, p_depth integer, OUT running_id uuid, OUT turn bigint, OUT is_reported boolean, OUT state_sha256 bytea, OUT checkpoint_id uuid, OUT checkpointed_turn bigint, OUT checkpoint_every integer, OUT stored_bytes bigint)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    IF me.kind <> 'agent' THEN
        RAISE EXCEPTION 'only an agent has sessions with checkpoints' USING ERRCODE = 'SU403';
    END IF;
    IF p_owner = me.id THEN
        INSERT INTO memory_runningsession (tenant_id, id, session_id, owner_id, owner, status, created_at)
        VALUES (p_tenant, new_id(), p_session, me.id, me.name, 'running', clock_timestamp())
        ON CONFLICT (tenant_id, owner_id, session_id) DO NOTHING;
    END IF;
    SELECT s.id INTO running_id FROM memory_runningsession s
    WHERE s.tenant_id = p_tenant AND s.owner_id = p_owner AND s.session_id = p_session;
    SELECT s.checkpoint_every INTO checkpoint_every FROM session_to_use(p_tenant, running_id, 'continue') s;
    SELECT t.turn, t.is_reported, t.state_sha256, t.checkpoint_id, t.checkpointed_turn
    INTO turn, is_reported, state_sha256, checkpoint_id, checkpointed_turn
    FROM memory_sessionturn t
    WHERE t.tenant_id = p_tenant AND t.running_id = begin_turn.running_id AND t.depth = p_depth;
    SELECT coalesce((SELECT u.stored_bytes FROM memory_checkpointusage u
                     WHERE u.tenant_id = p_tenant AND u.id = p_tenant), 0) INTO stored_bytes;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.borrowers_of(p_tenant uuid, p_chunks uuid[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
    RETURN ARRAY(
        SELECT DISTINCT t.id FROM unnest(p_chunks) i (id)
        CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k
        CROSS JOIN LATERAL turns_beside(k) t
        CROSS JOIN LATERAL chunk_of(p_tenant, t.id) b
        CROSS JOIN LATERAL (
            SELECT FROM memory_effectivechunk n WHERE n.tenant_id = p_tenant AND n.id = i.id AND could_lend_to(n, b)
            LIMIT 1) lending
        ORDER BY 1);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.came_from(p_tenant uuid, p_chunk uuid)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE ROWS 5
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
    RETURN QUERY
    WITH RECURSIVE source (id) AS (
        SELECT p_chunk
        UNION
        SELECT s.superseded_id FROM source f CROSS JOIN LATERAL (
            SELECT z.superseded_id FROM memory_supersession z
            WHERE z.tenant_id = p_tenant AND z.successor_id = f.id AND z.kind = 'consolidation' OFFSET 0) s)
    SELECT f.id FROM source f;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.cancelled_edits(p_tenant uuid, p_targets uuid[], p_until timestamp with time zone, p_also applied_edit DEFAULT NULL::applied_edit)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    e record;
    cancelled uuid[] := '{}';
BEGIN
    FOR e IN
        SELECT x.id, x.reverts_id FROM applied_edits(p_tenant, p_targets, p_until, p_also) x WHERE x.op = 'revert'
        ORDER BY x.applied_at DESC, x.id DESC
    LOOP
        IF NOT e.id = ANY (cancelled) THEN cancelled := cancelled || e.reverts_id; END IF;
    END LOOP;
    RETURN cancelled;
END $function$

-- owner suture_gate; EXECUTE to suture_gate, EXECUTE to suture_review
CREATE OR REPLACE FUNCTION public.capsule_amend(p_body text)
 RETURNS json
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT CASE WHEN starts_with(p_body, chr(30)) THEN substr(p_body, 2)::json END
$function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.capsule_custody(p_tenant uuid, p_capsule uuid, p_names integer)
 RETURNS TABLE(capsule_id uuid, author text, given_at timestamp with time zone, audience text[], audience_count integer)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    me acting_context := acting(p_tenant);
    ids uuid[] := p_capsule || ARRAY(SELECT capsule_origins(p_tenant, p_capsule));
BEGIN
    IF capsule_refusal(p_tenant, p_capsule, me.kind, me.id) IS NOT NULL THEN RETURN; END IF;
    RETURN QUERY
    SELECT x.id, x.author, x.created_at, ARRAY(
            SELECT g.slug::text FROM (
                SELECT a.agent_id FROM capsules_capsuleaudience a
                WHERE a.tenant_id = p_tenant AND a.capsule_id = x.id LIMIT p_names
            ) n
            CROSS JOIN LATERAL (
                SELECT y.slug FROM governance_agent y WHERE y.tenant_id = p_tenant AND y.id = n.agent_id OFFSET 0
            ) g
            ORDER BY g.slug),
        x.audience_count
    FROM capsules_effectivecapsule x WHERE x.tenant_id = p_tenant AND x.id = ANY (ids)
    ORDER BY x.created_at, x.id;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.capsule_origins(p_tenant uuid, p_capsule uuid)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE one uuid := p_capsule;
BEGIN
    LOOP
        SELECT c.forwards_id INTO one FROM capsules_capsule c WHERE c.tenant_id = p_tenant AND c.id = one;
        EXIT WHEN one IS NULL;
        RETURN NEXT one;
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.capsule_refusal(p_tenant uuid, p_capsule uuid, p_reader_kind text, p_reader uuid)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE x capsules_effectivecapsule;
BEGIN
    SELECT * INTO x FROM capsules_effectivecapsule y WHERE y.tenant_id = p_tenant AND y.id = p_capsule;
    IF NOT FOUND OR x.is_retracted THEN RETURN 'unknown'; END IF;
    IF x.author_kind = p_reader_kind AND x.authored_by = p_reader THEN
        RETURN CASE WHEN x.forwards_id IS NOT NULL
            THEN capsule_refusal(p_tenant, x.forwards_id, p_reader_kind, p_reader) END;
    END IF;
    IF p_reader_kind <> 'agent' THEN
        RETURN CASE WHEN NOT EXISTS (
            SELECT 1 FROM governance_membership m
            WHERE m.tenant_id = p_tenant AND m.user_id = p_reader AND m.is_active) THEN 'outside' END;
    END IF;
    IF NOT EXISTS (
        SELECT 1 FROM capsules_capsuleaudience a
        WHERE a.tenant_id = p_tenant AND a.agent_id = p_reader AND a.capsule_id = p_capsule
    ) THEN RETURN 'outside'; END IF;
    IF x.status <> 'active' THEN RETURN x.status; END IF;
    RETURN CASE WHEN x.expires_at <= statement_timestamp() THEN 'expired' END;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.capsule_rows(p_tenant uuid, p_ids uuid[], p_listening text[], p_sensitivities text[], p_include_quarantined boolean)
 RETURNS SETOF capsule_row
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    RETURN QUERY
    SELECT NULL, x.id, CASE WHEN x.status = 'active' AND x.expires_at <= statement_timestamp() THEN 'expired' ELSE x.status END,
        x.created_at, x.expires_at, x.scope, x.subject_type, x.subject_id, x.project_id, x.author, x.forwards_id,
        x.may_forward, x.item_count, x.audience_count, x.importance::numeric, x.is_quarantined, x.edits_applied,
        x.revoked_at, x.warned_at,
        -- a reason that hides the whole capsule comes before a missing note or missing risks
        coalesce(w.why, CASE
            WHEN x.note_id IS NOT NULL AND n.id IS NULL OR x.risks_id IS NOT NULL AND r.id IS NULL THEN 'erased' END),
        CASE WHEN w.why IS NULL THEN note_in(n.body) END, CASE WHEN w.why IS NULL THEN risks_in(r.body) END,
        words_hash(n.sha256, r.sha256, NULL, NULL)
    FROM unnest(p_ids) WITH ORDINALITY AS i (id, at)
    JOIN capsules_effectivecapsule x ON x.tenant_id = v_tenant AND x.id = i.id
    CROSS JOIN LATERAL (
        SELECT why_capsule_hidden(x, p_listening, p_sensitivities, p_include_quarantined) AS why) w
    LEFT JOIN LATERAL content_of(v_tenant, x.note_id) n ON true
    LEFT JOIN LATERAL content_of(v_tenant, x.risks_id) r ON true
    WHERE x.id = ANY (p_ids)
    ORDER BY i.at;
END $function$

-- owner suture_gate; EXECUTE to suture_gate, EXECUTE to suture_owner
CREATE OR REPLACE FUNCTION public.capsules_drift(p_tenant uuid)
 RETURNS TABLE(kind text, id uuid, problem text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT 'capsule', coalesce(x.id, k.id), d.why
    FROM (SELECT * FROM capsules_effectivecapsule y WHERE y.tenant_id = p_tenant) x
    FULL JOIN expected_capsules(p_tenant) k ON k.id = x.id
    CROSS JOIN LATERAL (SELECT CASE
        WHEN x.id IS NULL THEN 'missing'
        WHEN k.id IS NULL THEN 'without a record'
        WHEN (x.scope, x.subject_type, x.subject_id, x.project_id, x.author_kind, x.authored_by, x.author, x.created_at,
              x.expires_at, x.sensitivity, x.may_forward, x.forwards_id, x.item_count, x.audience_count)
            IS DISTINCT FROM (k.scope, k.subject_type, k.subject_id, k.project_id, k.author_kind, k.authored_by,
              k.author, k.created_at, k.expires_at, k.sensitivity, k.may_forward, k.forwards_id, k.item_count,
              k.audience_count) THEN 'metadata'
        WHEN (x.status, x.revoked_at, x.expired_at IS NULL, x.warned_at IS NULL)
            IS DISTINCT FROM (k.status, k.revoked_at, k.expired_at IS NULL, k.warned_at IS NULL) THEN 'status'
        WHEN (x.is_retracted, x.is_quarantined, x.blocked_channels)
            IS DISTINCT FROM (k.is_retracted, k.is_quarantined, k.blocked_channels) THEN 'visibility'
        WHEN (x.note_id, x.risks_id) IS DISTINCT FROM (k.note_id, k.risks_id) THEN 'text'
        WHEN x.importance <> k.importance THEN 'importance'
        WHEN x.edits_applied <> k.edits_applied THEN 'edits_applied' END AS why) d
    WHERE d.why IS NOT NULL;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.capsules_to_check(p_tenant uuid, p_records uuid[], p_contents uuid[])
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT c.id FROM (
        SELECT DISTINCT i.capsule_id FROM capsules_capsuleitem i
        WHERE i.tenant_id = p_tenant AND i.item_id = ANY (p_records)
    ) held
    JOIN capsules_capsule c ON c.tenant_id = p_tenant AND c.id = held.capsule_id
    WHERE EXISTS (
        SELECT 1 FROM (
            SELECT unnest(ARRAY[c.note_id, c.risks_id]) AS id
            UNION ALL
            SELECT e.content_id FROM governance_edit e
            WHERE e.tenant_id = p_tenant AND e.target_id = ANY (c.id || ARRAY(SELECT capsule_origins(p_tenant, c.id)))
        ) w
        JOIN governance_content k ON k.tenant_id = p_tenant AND k.id = w.id
        WHERE NOT w.id = ANY (p_contents))
    ORDER BY c.id;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.capture_successor_of(p_tenant uuid, k memory_chunk)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
    IF EXISTS (SELECT FROM memory_captureremoval r WHERE r.tenant_id = p_tenant AND r.chunk_id = k.id)
       OR k.source = 'file' AND NOT is_placed_now(p_tenant, k.id)
    THEN RETURN k.id; END IF;
    RETURN NULL;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.change_confidence(p_tenant uuid, p_chunk uuid, p_kind text, p_after numeric, p_at timestamp with time zone, p_reason text, p_outcome uuid, p_is_failure boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.change_context(p_tenant uuid, p_chunks uuid[], p_is_withdrawn boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE step text;
BEGIN
    IF p_chunks IS NULL OR p_chunks = '{}' THEN RETURN; END IF;
    FOR step IN SELECT f FROM functions_beginning('change_context_of_') f LOOP
        EXECUTE format('SELECT %I($1, $2, $3)', step) USING p_tenant, p_chunks, p_is_withdrawn;
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.change_context_of_memory(p_tenant uuid, p_chunks uuid[], p_is_withdrawn boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
    IF p_is_withdrawn THEN
        DELETE FROM memory_embedding e WHERE e.tenant_id = p_tenant AND e.chunk_id = ANY (p_chunks);
    END IF;
    PERFORM requeue_embeddings(p_tenant, p_chunks);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.change_file(p_tenant uuid, p_change text, p_session text, p_path text, p_new_path text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    me acting_context := acting_writer(p_tenant);
    last memory_fileversion;
    there memory_fileversion;
    chunks uuid[];
    replaced uuid[];
    present timestamptz := clock_timestamp();
BEGIN
    -- in one order, whoever renames what
    PERFORM lock_file(p_tenant, me.id, p_session, least(p_path, p_new_path));
    IF p_new_path <> p_path THEN PERFORM lock_file(p_tenant, me.id, p_session, greatest(p_path, p_new_path)); END IF;
    SELECT * INTO last FROM latest_of_file(p_tenant, me.id, p_session, p_path);
    IF last.placed_by IS NULL THEN RETURN NULL; END IF;
    chunks := ARRAY(SELECT p.chunk_id FROM memory_fileplacement p
        WHERE p.tenant_id = p_tenant AND p.version_id = last.placed_by);
    IF p_change = 'deleted' AND last.change = 'deleted' OR p_change = 'renamed' AND p_new_path = p_path THEN
        RETURN cardinality(chunks);
    END IF;
    INSERT INTO memory_fileversion (tenant_id, id, session_id, file_path, number, change, file_hash, total_chunks,
        placed_by, recorder_kind, recorded_by, recorder, ts)
    VALUES (p_tenant, new_id(), p_session, p_path, last.number + 1,
        CASE p_change WHEN 'renamed' THEN 'moved' ELSE p_change END, last.file_hash,
        CASE p_change WHEN 'deleted' THEN last.total_chunks ELSE 0 END,
        CASE p_change WHEN 'deleted' THEN last.placed_by END, me.kind, me.id, me.name, present);
    IF p_change = 'renamed' THEN
        SELECT * INTO there FROM latest_of_file(p_tenant, me.id, p_session, p_new_path);
        replaced := ARRAY(SELECT p.chunk_id FROM memory_fileplacement p
            WHERE p.tenant_id = p_tenant AND p.version_id = there.placed_by);
        INSERT INTO memory_fileversion (tenant_id, id, session_id, file_path, number, change, file_hash, total_chunks,
            placed_by, recorder_kind, recorded_by, recorder, ts)
        VALUES (p_tenant, new_id(), p_session, p_new_path, coalesce(there.number, 0) + 1, 'renamed', last.file_hash,
            last.total_chunks, last.placed_by, me.kind, me.id, me.name, present);
        PERFORM place_chunks(p_tenant, chunks, replaced);
    ELSIF p_change = 'removed' THEN
        PERFORM place_chunks(p_tenant, '{}', chunks);
    END IF;
    RETURN cardinality(chunks);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.change_session(p_tenant uuid, p_running uuid, p_keep integer, p_checkpoint_every integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_tenant(p_tenant);
    PERFORM session_to_use(p_tenant, p_running, 'continue');
    UPDATE memory_runningsession s SET keep = coalesce(p_keep, s.keep),
        checkpoint_every = coalesce(p_checkpoint_every, s.checkpoint_every)
    WHERE s.tenant_id = p_tenant AND s.id = p_running;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.change_tenant(p_tenant uuid, p_pending_edit_days integer, p_default_sensitivities jsonb, p_search_language text, p_hybrid_alpha double precision, p_ephemeral_hours integer, OUT before jsonb, OUT after jsonb, OUT refusal text)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    t governance_tenant;
    days int;
    levels jsonb;
    language text;
    alpha float8;
    hours int;
    step text;
BEGIN
    PERFORM acting_manager(p_tenant);
    IF p_pending_edit_days NOT BETWEEN 1 AND 3650 THEN refusal := 'days_out_of_range'; RETURN; END IF;
    IF EXISTS (
        SELECT FROM jsonb_each_text(p_default_sensitivities) e
        WHERE (e.key IN ('private', 'public', 'team', 'agent')
               AND e.value IN ('none', 'low', 'high', 'secret')) IS NOT TRUE
    ) THEN refusal := 'unknown_default_sensitivity'; RETURN; END IF;
    IF p_search_language IS NOT NULL AND NOT EXISTS (
        SELECT FROM pg_ts_config c WHERE c.cfgname = p_search_language AND c.cfgnamespace = 'pg_catalog'::regnamespace
    ) THEN refusal := 'unknown_search_language'; RETURN; END IF;
    IF p_hybrid_alpha NOT BETWEEN 0 AND 1 THEN refusal := 'alpha_out_of_range'; RETURN; END IF;
    IF p_ephemeral_hours NOT BETWEEN 1 AND 87600 THEN refusal := 'ephemeral_hours_out_of_range'; RETURN; END IF;
    SELECT * INTO STRICT t FROM governance_tenant x WHERE x.id = p_tenant FOR NO KEY UPDATE;
    days := coalesce(p_pending_edit_days, t.pending_edit_days);
    SELECT coalesce(jsonb_object_agg(e.key, e.value), '{}') INTO levels
    FROM jsonb_each_text(t.default_sensitivities || coalesce(p_default_sensitivities, '{}')) e WHERE e.value <> 'none';
    language := coalesce(p_search_language, t.search_language);
    alpha := coalesce(p_hybrid_alpha, t.hybrid_alpha);
    hours := coalesce(p_ephemeral_hours, t.ephemeral_hours);
    IF (days, levels, language, alpha, hours) IS NOT DISTINCT FROM (t.pending_edit_days::int, t.default_sensitivities,
        t.search_language, t.hybrid_alpha, t.ephemeral_hours) THEN
        refusal := 'nothing_to_change'; RETURN;
    END IF;
    UPDATE governance_tenant x SET pending_edit_days = days, default_sensitivities = levels, search_language = language,
        hybrid_alpha = alpha, ephemeral_hours = hours
    WHERE x.id = p_tenant;
    IF language <> t.search_language THEN
        FOR step IN SELECT f FROM functions_beginning('reword_of_') f LOOP
            EXECUTE format('SELECT %I($1)', step) USING p_tenant;
        END LOOP;
    END IF;
    PERFORM owe_entry(p_tenant, 'tenant.changed', VARIADIC '{}');
    before := jsonb_build_object('pending_edit_days', t.pending_edit_days,
        'default_sensitivities', t.default_sensitivities, 'search_language', t.search_language,
        'hybrid_alpha', t.hybrid_alpha::text, 'ephemeral_hours', t.ephemeral_hours);
    after := jsonb_build_object('pending_edit_days', days, 'default_sensitivities', levels,
        'search_language', language, 'hybrid_alpha', alpha::text, 'ephemeral_hours', hours);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.check_edit_of_capsule(p_tenant uuid, p_edit uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM refuse_removed_text(p_tenant, said.body, x.subject_type, x.subject_id)
    FROM (
        SELECT y.target_id, y.content_id FROM governance_edit y
        WHERE y.tenant_id = p_tenant AND y.id = p_edit AND y.op = 'amend' AND y.proposer_kind = 'agent' LIMIT 1
    ) e
    CROSS JOIN LATERAL (
        SELECT y.subject_type, y.subject_id FROM capsules_capsule y
        WHERE y.tenant_id = p_tenant AND y.id = e.target_id LIMIT 1
    ) x
    CROSS JOIN LATERAL content_of(p_tenant, e.content_id) c
    CROSS JOIN LATERAL (
        SELECT capsule_amend(c.body) ->> 'text' AS body
        UNION ALL
        SELECT r FROM json_array_elements_text(capsule_amend(c.body) -> 'risks') r
    ) said
    WHERE said.body IS NOT NULL;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.check_edit_of_chunk(p_tenant uuid, p_edit uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM refuse_removed_value(p_tenant, p_edit, x.subject_type, x.subject_id)
    FROM memory_chunk x WHERE x.tenant_id = p_tenant AND x.id = (
        SELECT e.target_id FROM governance_edit e WHERE e.tenant_id = p_tenant AND e.id = p_edit);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.check_edit_of_decision(p_tenant uuid, p_edit uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM refuse_removed_value(p_tenant, p_edit, x.subject_type, x.subject_id)
    FROM memory_decision x WHERE x.tenant_id = p_tenant AND x.id = (
        SELECT e.target_id FROM governance_edit e WHERE e.tenant_id = p_tenant AND e.id = p_edit);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.check_promotion_rules(p_rules jsonb)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    IF p_rules IS NULL THEN RETURN; END IF;
    IF jsonb_typeof(p_rules) <> 'object' OR EXISTS (
        SELECT FROM jsonb_each(p_rules) r
        LEFT JOIN (VALUES ('uses_in_session', 1, 1000, 0), ('sessions', 1, 1000, 0), ('successes', 0, 1000, 0),
            ('confidence', 0, 1, 4), ('confidence_days', 0, 3650, 0), ('unused_days', 1, 36500, 0),
            ('low_trust', 0, 1, 4)) k (name, least, most, digits) ON k.name = r.key
        WHERE CASE WHEN r.key = 'promoting_agents' THEN jsonb_typeof(r.value) = 'array'
            WHEN jsonb_typeof(r.value) = 'number' THEN r.value::text::numeric BETWEEN k.least AND k.most
                AND round(r.value::text::numeric, k.digits) = r.value::text::numeric
            ELSE false END IS NOT TRUE)
    THEN
        RAISE EXCEPTION 'a threshold of promotion is not valid' USING ERRCODE = 'SU400';
    END IF;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.checkpoint_corrections(p_tenant uuid, p_checkpoint uuid)
 RETURNS TABLE(chunk_id uuid, version_then integer, version_now integer, change text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE c memory_checkpoint;
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT * INTO c FROM memory_checkpoint x WHERE x.tenant_id = p_tenant AND x.id = p_checkpoint;
    RETURN QUERY
    WITH had AS (
        SELECT m.memory_id AS id, m.version, m.standing, c.created_at AS at FROM memory_checkpointmemory m
        WHERE m.tenant_id = p_tenant AND m.checkpoint_id = p_checkpoint AND m.version IS NOT NULL
        UNION ALL
        SELECT d.chunk_id, d.version, '', d.at FROM memory_delivery d
        WHERE d.tenant_id = p_tenant AND d.session_id = c.session_id AND d.receiver_id = c.agent_id
          AND d.at <= c.created_at
    ), first AS (
        SELECT DISTINCT ON (h.id) h.* FROM had h ORDER BY h.id, h.at
    ), compared AS (
        SELECT f.id, f.version, x.edits_applied, f.standing, chunk_standing(x, statement_timestamp()) AS stands, f.at,
            EXISTS (
                SELECT FROM governance_edit e JOIN governance_editstate s ON s.tenant_id = p_tenant AND s.edit_id = e.id
                WHERE e.tenant_id = p_tenant AND e.target_id = f.id AND s.status = 'approved' AND s.applied_at > f.at
            ) AS is_edited
        FROM first f
        CROSS JOIN LATERAL (
            SELECT * FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = f.id LIMIT 1) x
    ), judged AS (
        SELECT k.*, CASE WHEN k.stands <> '' AND k.stands <> k.standing THEN k.stands
            WHEN k.is_edited THEN coalesce(latest.change, CASE WHEN k.version <> k.edits_applied THEN 'amended' END)
            WHEN k.version <> k.edits_applied THEN 'amended' END AS change
        FROM compared k
        LEFT JOIN LATERAL (
            SELECT CASE e.op WHEN 'retract' THEN 'retracted' WHEN 'quarantine' THEN 'quarantined'
                WHEN 'block' THEN 'blocked' WHEN 'attenuate' THEN 'attenuated'
                ELSE CASE WHEN e.content_id IS NULL THEN 'attenuated' ELSE 'amended' END END AS change
            FROM applied_edits(p_tenant, ARRAY[k.id], NULL) e
            WHERE k.is_edited AND e.op <> 'revert'
              AND (NOT e.id = ANY (cancelled_edits(p_tenant, ARRAY[k.id], NULL, NULL)))
                  <> (e.applied_at <= k.at AND NOT e.id = ANY (cancelled_edits(p_tenant, ARRAY[k.id], k.at, NULL)))
            ORDER BY e.applied_at DESC, e.id DESC LIMIT 1
        ) latest ON true
    )
    SELECT j.id, j.version, j.edits_applied, j.change FROM judged j WHERE j.change IS NOT NULL ORDER BY j.id;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.checkpoint_to_use(p_tenant uuid, p_checkpoint uuid, p_use text)
 RETURNS memory_checkpoint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE c memory_checkpoint;
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT * INTO c FROM memory_checkpoint x WHERE x.tenant_id = p_tenant AND x.id = p_checkpoint;
    IF NOT FOUND THEN RAISE EXCEPTION 'there is no such checkpoint' USING ERRCODE = 'SU404'; END IF;
    PERFORM session_to_use(p_tenant, c.running_id, p_use);
    IF EXISTS (SELECT FROM memory_checkpointstate s WHERE s.tenant_id = p_tenant AND s.id = p_checkpoint
               AND s.is_removed) THEN
        RAISE EXCEPTION 'this checkpoint was removed' USING ERRCODE = 'SU404', CONSTRAINT = 'checkpoint_was_removed';
    END IF;
    RETURN c;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.checkpoints_about(p_tenant uuid, p_records uuid[])
 RETURNS TABLE(id uuid, is_certain boolean)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    WITH about AS MATERIALIZED (
        SELECT r.id FROM unnest(p_records) r (id)
        UNION
        SELECT e.target_id FROM unnest(p_records) r (id)
        CROSS JOIN LATERAL (
            SELECT * FROM governance_edit x WHERE x.tenant_id = p_tenant AND x.id = r.id LIMIT 1) e
    ), said AS MATERIALIZED (
        SELECT DISTINCT k.session_id, k.recorder_kind, k.recorded_by FROM unnest(p_records) r (id)
        CROSS JOIN LATERAL (
            SELECT * FROM memory_chunk x WHERE x.tenant_id = p_tenant AND x.id = r.id LIMIT 1) k
        UNION
        SELECT DISTINCT v.session_id, v.recorder_kind, v.recorded_by FROM unnest(p_records) r (id)
        CROSS JOIN LATERAL (
            SELECT * FROM memory_event x WHERE x.tenant_id = p_tenant AND x.id = r.id LIMIT 1) v
    ), given AS MATERIALIZED (
        SELECT d.receiver_id, d.session_id, min(d.at) AS at FROM about a
        CROSS JOIN LATERAL (
            SELECT * FROM memory_delivery x WHERE x.tenant_id = p_tenant AND x.chunk_id = a.id OFFSET 0) d
        GROUP BY d.receiver_id, d.session_id
    ), live AS MATERIALIZED (
        SELECT c.id, c.session_id, c.agent_id, c.created_at, o.owner_id FROM memory_checkpointstate s
        CROSS JOIN LATERAL (
            SELECT * FROM memory_checkpoint x WHERE x.tenant_id = p_tenant AND x.id = s.id LIMIT 1) c
        CROSS JOIN LATERAL (
            SELECT * FROM memory_runningsession x WHERE x.tenant_id = p_tenant AND x.id = s.running_id LIMIT 1) o
        WHERE s.tenant_id = p_tenant AND NOT s.is_removed
    ), found AS (
        SELECT m.checkpoint_id AS id, true AS is_certain FROM about a
        CROSS JOIN LATERAL (
            SELECT * FROM memory_checkpointmemory x WHERE x.tenant_id = p_tenant AND x.memory_id = a.id OFFSET 0) m
        UNION ALL
        SELECT l.id, s.recorder_kind <> 'agent' OR s.recorded_by IN (l.agent_id, l.owner_id)
        FROM live l JOIN said s ON s.session_id = l.session_id
        UNION ALL
        SELECT l.id, false FROM live l
        JOIN said s ON s.recorder_kind = 'agent' AND s.recorded_by IN (l.agent_id, l.owner_id)
        UNION ALL
        SELECT l.id, (g.session_id IS NULL OR g.session_id = l.session_id)
            AND g.receiver_id IN (l.agent_id, l.owner_id)
        FROM live l JOIN given g ON g.at <= l.created_at
            AND (g.session_id = l.session_id OR g.receiver_id IN (l.agent_id, l.owner_id))
    )
    SELECT f.id, bool_or(f.is_certain) FROM found f GROUP BY f.id ORDER BY f.id;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.choose_lane(p_tenant uuid, q search_question, w term_weights, p_narrow text, f search_filter)
 RETURNS search_lane
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE
    -- chunks to score, at about 4 us; those of recorders that are left out are passed over
    budget constant int := CASE WHEN f.without_recorders IS NULL THEN 2000 ELSE 20000 END;
    lane search_lane;
    filters tsquery;
    needed tsquery;
    share float8 := 1;  -- of the tenant's chunks that the filters leave
    rare record;
BEGIN
    lane.narrow := p_narrow;
    IF p_narrow IS NOT NULL THEN RETURN lane; END IF;
    filters := filter_query(p_tenant, f.channels, f.scope, f.subject_type, f.subject_id, f.project_id, f.session_id);
    needed := word_query(p_tenant, q.matching) && filters;
    lane.terms := ARRAY[needed];
    IF NOT q.is_narrowed AND q.terms <> '{}' THEN
        IF numnode(filters) > 0 AND (SELECT sum(d) FROM unnest(w.dfs) d) > budget THEN
            share := greatest(2000, 64 * sampled_chunks(p_tenant, filters && term_query(p_tenant, ' one in 64')));
            share := least(1, share / w.total);
        END IF;
        IF (SELECT sum(d) FROM unnest(w.dfs) d) * share <= budget THEN RETURN lane; END IF;
        SELECT * INTO rare FROM rarest_terms(p_tenant, w, share, budget);
        lane.terms := (SELECT array_agg(r && filters) FROM unnest(rare.queries) r);
        lane.estimate := (SELECT max(d) FROM unnest(w.dfs) d) * share;
        -- unless they are so few that the newest of the others fill the answer
        IF rare.expected >= 100 THEN RETURN lane; END IF;
    END IF;
    SELECT s.since, s.estimate, s.terms, s.is_crowded INTO lane.since, lane.estimate, lane.newest, lane.is_crowded
    FROM window_start(p_tenant, q, f, needed, filters, w.total) s;
    IF lane.since IS NULL THEN
        lane.terms := ARRAY[needed];
    ELSIF q.is_narrowed OR q.terms = '{}' THEN
        lane.terms := NULL;
    END IF;
    RETURN lane;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.chunk_of(p_tenant uuid, p_id uuid)
 RETURNS SETOF memory_chunk
 LANGUAGE sql
 STABLE
AS $function$
    SELECT c.* FROM memory_chunk c WHERE c.tenant_id = p_tenant AND c.id = p_id LIMIT 1
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.chunk_rows(p_tenant uuid, p_ids uuid[], p_listening text[], p_sensitivities text[], p_include_quarantined boolean)
 RETURNS SETOF chunk_row
 LANGUAGE sql
 STABLE
AS $function$
    SELECT x.id, x.text, x.importance, x.ts, x.edits_applied, x.is_retracted, x.is_quarantined, x.event_id,
        x.session_id, x.scope, x.subject_type, x.subject_id, x.project_id, x.channel, x.tier, x.source, x.recorder,
        x.tags
    FROM unnest(p_ids) AS i (id)
    CROSS JOIN LATERAL (
        SELECT y.* FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = i.id
          AND is_seen(y, p_listening, p_sensitivities, p_include_quarantined) LIMIT 1) x
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.chunk_standing(x memory_effectivechunk, p_at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
    SELECT CASE WHEN x.is_retracted AND EXISTS (SELECT FROM governance_erasedcontent e
                     WHERE e.tenant_id = x.tenant_id AND e.id = x.content_id) THEN 'erased'
                WHEN x.is_retracted THEN 'retracted'
                WHEN x.expires_at <= p_at THEN 'expired'
                WHEN x.is_superseded OR x.superseded_by IS NOT NULL THEN 'superseded'
                WHEN x.is_quarantined THEN 'quarantined'
                WHEN x.blocked_channels <> '{}' THEN 'blocked'
                ELSE '' END
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.chunks_of_file(p_tenant uuid, p_chunk uuid)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    k memory_chunk;
    paths text[];
    known text[] := '{}';
    found uuid[] := '{}';
BEGIN
    SELECT * INTO k FROM chunk_of(p_tenant, p_chunk);
    IF k.source IS DISTINCT FROM 'file' THEN RETURN '{}'; END IF;
    found := ARRAY[p_chunk];
    LOOP
        -- the paths that these chunks were recorded for, and those of the versions that have them
        paths := ARRAY(
            SELECT c.file_path FROM unnest(found) i (id)
            CROSS JOIN LATERAL (
                SELECT y.file_path FROM memory_capture y WHERE y.tenant_id = p_tenant AND y.id = i.id LIMIT 1) c
            UNION
            SELECT v.file_path FROM unnest(found) i (id)
            CROSS JOIN LATERAL (
                SELECT y.version_id FROM memory_fileplacement y
                WHERE y.tenant_id = p_tenant AND y.chunk_id = i.id OFFSET 0) p
            CROSS JOIN LATERAL (
                SELECT y.file_path, y.session_id, y.recorded_by FROM memory_fileversion y
                WHERE y.tenant_id = p_tenant AND y.placed_by = p.version_id OFFSET 0) v
            WHERE v.session_id = k.session_id AND v.recorded_by = k.recorded_by);
        EXIT WHEN paths <@ known;
        known := known || paths;
        found := ARRAY(
            SELECT c.id FROM unnest(paths) n (path) CROSS JOIN LATERAL (
                SELECT y.id, y.session_id FROM memory_capture y
                WHERE y.tenant_id = p_tenant AND y.source = 'MDFileChunk' AND y.file_path = n.path OFFSET 0) c
            CROSS JOIN LATERAL chunk_of(p_tenant, c.id) o
            WHERE c.session_id = k.session_id AND o.recorded_by = k.recorded_by
            UNION
            SELECT p.chunk_id FROM unnest(paths) n (path) CROSS JOIN LATERAL (
                SELECT y.placed_by, y.session_id, y.recorded_by FROM memory_fileversion y
                WHERE y.tenant_id = p_tenant AND y.file_path = n.path OFFSET 0) v
            CROSS JOIN LATERAL (
                SELECT y.chunk_id FROM memory_fileplacement y
                WHERE y.tenant_id = p_tenant AND y.version_id = v.placed_by OFFSET 0) p
            WHERE v.session_id = k.session_id AND v.recorded_by = k.recorded_by);
    END LOOP;
    RETURN found;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.chunks_of_memory(p_tenant uuid, p_event uuid, p_chunk uuid)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
    IF p_event IS NULL THEN RETURN ARRAY[p_chunk]; END IF;
    RETURN ARRAY(SELECT c.id FROM memory_chunk c WHERE c.tenant_id = p_tenant AND c.event_id = p_event ORDER BY c.id);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.claim_embeddings(p_tenant uuid, p_limit integer, p_lease interval, p_again boolean, p_most integer)
 RETURNS TABLE(chunk_id uuid, content_id uuid, span_start integer, span_end integer, speaker text, text text, speaker_before text, text_before text, speaker_after text, text_after text, context uuid, models text[])
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    present timestamptz := clock_timestamp();
    taken uuid[];
BEGIN
    PERFORM require_job(p_tenant);
    IF p_again THEN
        UPDATE memory_embeddingitem i SET state = 'isolated',
            error = coalesce(i.error, 'The worker stopped each time that it embedded this chunk.')
        WHERE i.tenant_id = p_tenant AND i.id = ANY (ARRAY(
            SELECT d.id FROM memory_embeddingitem d
            WHERE d.tenant_id = p_tenant AND d.state = 'waiting' AND d.due_at <= present AND d.tries >= p_most
            LIMIT 1000 FOR UPDATE SKIP LOCKED));
    END IF;
    taken := ARRAY(
        SELECT d.id FROM memory_embeddingitem d
        WHERE d.tenant_id = p_tenant AND d.state = 'waiting' AND d.due_at <= present AND (d.tries > 0) = p_again
        ORDER BY d.due_at, d.id LIMIT p_limit FOR UPDATE SKIP LOCKED);
    UPDATE memory_embeddingitem i SET due_at = present + p_lease, tries = i.tries + 1
    WHERE i.tenant_id = p_tenant AND i.id = ANY (taken);
    RETURN QUERY
    SELECT t.id, s.content_id, s.span_start, s.span_end, s.speaker, s.text, s.speaker_before, s.text_before,
        s.speaker_after, s.text_after, s.context, ARRAY(
            SELECT e.model FROM memory_embedding e
            WHERE e.tenant_id = p_tenant AND e.chunk_id = t.id AND e.space = 'E1'
              AND (e.content_id, e.span_start, e.span_end, e.context)
                  IS NOT DISTINCT FROM (s.content_id, s.span_start, s.span_end, s.context))
    FROM unnest(taken) AS t (id) CROSS JOIN LATERAL embedding_source(p_tenant, t.id) s;
    DELETE FROM memory_embeddingitem i WHERE i.tenant_id = p_tenant AND i.id = ANY (taken)
      AND NOT EXISTS (SELECT FROM embedding_source(p_tenant, i.id));
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.claim_named_events(p_tenant uuid, p_events json)
 RETURNS TABLE(event_id uuid, is_same boolean, ts timestamp with time zone, chunk_ids uuid[], decision_id uuid, task_id uuid, artifact_id uuid)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    me acting_context := acting_writer(p_tenant);
    whole bigint := hashtextextended(format('named events of %s in %s', me.id, p_tenant), 0);
    one uuid;
BEGIN
    IF json_array_length(p_events) <= 100 THEN
        PERFORM pg_advisory_xact_lock_shared(whole);
        FOR one IN SELECT DISTINCT x.id FROM json_to_recordset(p_events) AS x (id uuid) ORDER BY 1 LOOP
            PERFORM pg_advisory_xact_lock(hashtextextended(format('named event %s of %s', one, me.id), 0));
        END LOOP;
    ELSE
        PERFORM pg_advisory_xact_lock(whole);
    END IF;
    RETURN QUERY
    SELECT e.id,
        e.recorded_by = me.id AND e.recorder_kind = me.kind AND e.session_id = x.session_id AND e.kind = x.kind
            AND is_content(p_tenant, e.content_id, x.text) AND is_content(p_tenant, e.fields_id, x.fields),
        e.ts, ARRAY(SELECT k.id FROM memory_chunk k WHERE k.tenant_id = p_tenant AND k.event_id = e.id
                    ORDER BY k.chunk_index),
        (SELECT d.id FROM memory_decision d WHERE d.tenant_id = p_tenant AND d.event_id = e.id),
        (SELECT t.task_id FROM memory_task t WHERE t.tenant_id = p_tenant AND t.event_id = e.id),
        (SELECT a.id FROM memory_artifact a WHERE a.tenant_id = p_tenant AND a.event_id = e.id)
    FROM json_to_recordset(p_events) AS x (id uuid, session_id text, kind text, text text, fields text)
    CROSS JOIN LATERAL event_of(p_tenant, x.id) e;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.claim_overdue_edits(p_tenant uuid, p_before timestamp with time zone, p_limit integer)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_job(p_tenant);
    RETURN QUERY SELECT s.edit_id FROM governance_editstate s
        WHERE s.tenant_id = p_tenant AND s.status = 'pending' AND s.created_at < p_before
        ORDER BY s.created_at LIMIT p_limit FOR UPDATE SKIP LOCKED;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.claim_removed_checkpoints(p_tenant uuid, p_limit integer)
 RETURNS TABLE(id uuid, path text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_job(p_tenant);
    RETURN QUERY
    SELECT s.id, c.path FROM memory_checkpointstate s
    JOIN memory_checkpoint c ON c.tenant_id = p_tenant AND c.id = s.id
    WHERE s.tenant_id = p_tenant AND s.is_removed AND NOT s.is_file_deleted
    LIMIT p_limit FOR UPDATE OF s SKIP LOCKED;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.complete_context(p_tenant uuid, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    spoken regconfig := search_language(p_tenant);
    taken uuid[];
    chunk uuid;
BEGIN
    PERFORM require_job(p_tenant);
    WITH claimed AS (
        DELETE FROM memory_pendingcontext p WHERE p.tenant_id = p_tenant AND p.id = ANY (ARRAY(
            SELECT q.id FROM memory_pendingcontext q WHERE q.tenant_id = p_tenant
            ORDER BY q.id LIMIT p_limit FOR UPDATE SKIP LOCKED))
        RETURNING p.id)
    SELECT array_agg(c.id) INTO taken FROM claimed c;
    IF taken IS NULL THEN RETURN 0; END IF;
    PERFORM lock_surroundings(p_tenant, taken);
    -- all of them: what was being recorded while the language changed is in the former one
    FOREACH chunk IN ARRAY taken LOOP
        UPDATE memory_effectivechunk x SET tsv = w.tsv
        FROM (SELECT text_vector(spoken, span_of(c.body, y.span_start, y.span_end)) AS tsv
              FROM memory_effectivechunk y LEFT JOIN LATERAL content_of(p_tenant, y.content_id) c ON true
              WHERE y.tenant_id = p_tenant AND y.id = chunk) w
        WHERE x.tenant_id = p_tenant AND x.id = chunk AND NOT x.is_retracted AND x.tsv IS DISTINCT FROM w.tsv;
    END LOOP;
    PERFORM change_context(p_tenant, refresh_context(p_tenant, surroundings_of(p_tenant, taken)), false);
    RETURN cardinality(taken);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.confidence_after(p_confidence numeric, p_outcome text)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT CASE p_outcome WHEN 'success' THEN round(p_confidence + 0.3 * (1 - p_confidence), 4)
                          WHEN 'failure' THEN round(p_confidence - 0.4 * p_confidence, 4) END
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.confidence_decayed(p_confidence numeric)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$ SELECT 0.5 + trunc(0.9 * (p_confidence - 0.5), 4) $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.confident_since(p_tenant uuid, p_chunk uuid, p_least numeric)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    broken record;
    since timestamptz;
BEGIN
    SELECT c.number, c.after >= p_least AS is_enough, c.at INTO broken FROM memory_confidencechange c
    WHERE c.tenant_id = p_tenant AND c.chunk_id = p_chunk AND (c.after < p_least OR c.is_failure)
    ORDER BY c.number DESC LIMIT 1;
    IF broken.is_enough THEN RETURN broken.at; END IF;
    SELECT c.at INTO since FROM memory_confidencechange c
    WHERE c.tenant_id = p_tenant AND c.chunk_id = p_chunk AND c.number > coalesce(broken.number, 0)
    ORDER BY c.number LIMIT 1;
    IF since IS NULL AND broken.number IS NULL AND p_least <= 0.5 THEN
        SELECT min(s.first_accessed) INTO since FROM memory_chunksession s
        WHERE s.tenant_id = p_tenant AND s.chunk_id = p_chunk;
    END IF;
    RETURN since;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.confirm_second_factor(p_token text, p_codes text[], OUT was_done boolean, OUT tenants uuid[])
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE person uuid := token_bearer(p_token);
BEGIN
    PERFORM FROM governance_user u WHERE u.id = person FOR NO KEY UPDATE;
    UPDATE otp_totp_totpdevice d SET confirmed = true
    WHERE d.user_id = person AND NOT d.confirmed AND NOT EXISTS (
        SELECT FROM otp_totp_totpdevice x WHERE x.user_id = person AND x.confirmed);
    was_done := FOUND;
    tenants := '{}';
    IF NOT was_done THEN RETURN; END IF;
    PERFORM replace_recovery_codes(person, p_codes);
    tenants := owe_everywhere(opened_by(person), 'person.second_factor_on', person);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.consolidations_above(p_tenant uuid, p_chunks uuid[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    above uuid[] := p_chunks;
    found uuid[] := '{}';
BEGIN
    LOOP
        above := ARRAY(
            SELECT DISTINCT s.successor_id FROM unnest(above) i (id) CROSS JOIN LATERAL (
                SELECT z.successor_id FROM memory_supersession z
                WHERE z.tenant_id = p_tenant AND z.superseded_id = i.id AND z.kind = 'consolidation' OFFSET 0) s
            WHERE NOT s.successor_id = ANY (found));
        EXIT WHEN above = '{}';
        found := found || above;
    END LOOP;
    RETURN found;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.content_digest(p_tenant uuid, p_id uuid)
 RETURNS TABLE(hex text)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT encode(coalesce(
        (SELECT kept.sha256 FROM governance_content kept WHERE kept.tenant_id = p_tenant AND kept.id = p_id),
        (SELECT gone.sha256 FROM governance_erasedcontent gone WHERE gone.tenant_id = p_tenant AND gone.id = p_id)), 'hex')
$function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.content_hashes(p_tenant uuid, p_ids uuid[])
 RETURNS TABLE(id uuid, sha256 bytea)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY SELECT i.id, c.sha256::bytea FROM unnest(p_ids) i (id) CROSS JOIN LATERAL (
        SELECT y.sha256 FROM governance_content y WHERE y.tenant_id = p_tenant AND y.id = i.id LIMIT 1) c;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.content_of(p_tenant uuid, p_id uuid)
 RETURNS SETOF governance_content
 LANGUAGE sql
 STABLE
AS $function$
    SELECT c.* FROM governance_content c WHERE c.tenant_id = p_tenant AND c.id = p_id LIMIT 1
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.context_chunks(p_tenant uuid, p_ids uuid[], p_ranks real[], p_listening text[], p_sensitivities text[], p_include_quarantined boolean, p_available integer)
 RETURNS SETOF context_chunk_row
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT x.id, x.why, span_of(c.body, x.span_start, x.span_end), x.importance, x.ts, x.edits_applied,
        x.is_quarantined, x.event_id, x.session_id, x.scope, x.subject_type, x.subject_id, x.project_id, x.channel,
        x.tier, x.source, x.recorder, e.recorder_kind, e.recorded_at, e.kind, e.actor_type, e.actor_id,
        -- a bundle has the words of no other event twice
        coalesce(e.kind IN ('decision', 'task_update')
            AND (SELECT k.total_chunks = 1 FROM memory_chunk k WHERE k.tenant_id = v_tenant AND k.id = x.id), false),
        n.score, words_hash(c.sha256, NULL, x.span_start, x.span_end), p_available
    FROM unnest(p_ids, p_ranks) AS n (id, score)
    CROSS JOIN LATERAL (
        SELECT y.*, why_chunk_hidden(y, p_listening, p_sensitivities, p_include_quarantined) AS why
        FROM memory_effectivechunk y
        WHERE y.tenant_id = v_tenant AND y.id = n.id AND NOT y.is_retracted AND y.superseded_by IS NULL LIMIT 1) x
    LEFT JOIN LATERAL event_of(v_tenant, x.event_id) e ON true
    LEFT JOIN LATERAL content_of(v_tenant, x.content_id) c ON x.why IS NULL
    WHERE x.why IS NOT NULL OR c.id IS NOT NULL;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.context_mac(p_payload text, p_backend integer, p_began timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE s bytea;
BEGIN
    SELECT x.secret INTO STRICT s FROM governance_contextsecret x;
    RETURN encode(sha256(s || sha256(s || int4send(p_backend) || timestamptz_send(p_began)
        || convert_to(p_payload, 'UTF8'))), 'hex');
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate, EXECUTE to suture_owner, EXECUTE to suture_review
CREATE OR REPLACE FUNCTION public.context_tenant()
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE PARALLEL RESTRICTED SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    given text := current_setting('suture.context', true);
    s bytea;
BEGIN
    IF given IS NULL OR given = '' THEN RETURN NULL; END IF;
    SELECT x.secret INTO s FROM governance_contextsecret x;
    -- as context_mac() makes it; spelled out, since a call would double the cost
    IF left(given, 64) <> encode(sha256(s || sha256(s || int4send(pg_backend_pid())
        || timestamptz_send(transaction_timestamp()) || convert_to(substr(given, 65), 'UTF8'))), 'hex')
    THEN
        RAISE EXCEPTION 'the context of this transaction was not opened by a credential' USING ERRCODE = 'SU403';
    END IF;
    RETURN substr(given, 74, 36)::uuid;  -- behind '|context|'
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.could_lend_to(n memory_effectivechunk, k memory_chunk)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT n.session_id = k.session_id AND n.channel = k.channel
       AND n.subject_type IS NOT DISTINCT FROM k.subject_type AND n.subject_id IS NOT DISTINCT FROM k.subject_id
       AND more_sensitive(n.sensitivity, k.sensitivity) = k.sensitivity
$function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.count_ledger_alarms()
 RETURNS bigint
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
    SELECT count(*) FROM governance_merkletree t WHERE t.alarm IS NOT NULL
$function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.count_terms(p_tenant uuid)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    v_tenant uuid := p_tenant;
    last memory_termcount;
    grown bigint;
    newest uuid;
    total bigint;
    one_in int;
    counted int;
BEGIN
    PERFORM require_job(p_tenant);
    IF NOT pg_try_advisory_xact_lock(hashtextextended('count_terms ' || v_tenant, 0)) THEN RETURN 0; END IF;
    SELECT * INTO last FROM memory_termcount c WHERE c.tenant_id = v_tenant;
    grown := (SELECT count(*) FROM (
        SELECT FROM memory_effectivechunk x WHERE x.tenant_id = v_tenant AND (last.newest IS NULL OR x.id > last.newest)
        ORDER BY x.id LIMIT 1 + coalesce(last.chunks, 0) / 10) n);
    IF grown * 10 <= coalesce(last.chunks, 0)
        AND coalesce(last.counted_at > statement_timestamp() - interval '1 day', true)
    THEN RETURN 0; END IF;

    SELECT count(*) INTO total FROM memory_effectivechunk x WHERE x.tenant_id = v_tenant AND is_counted(x);
    SELECT x.id INTO newest FROM memory_effectivechunk x WHERE x.tenant_id = v_tenant ORDER BY x.id DESC LIMIT 1;
    one_in := CASE WHEN total > 50000 THEN 8 ELSE 1 END;
    WITH found AS MATERIALIZED (
        SELECT w.term, count(*) * one_in AS df
        FROM memory_effectivechunk x CROSS JOIN LATERAL unnest(tsvector_to_array(x.tsv)) w (term)
        WHERE x.tenant_id = v_tenant AND is_counted(x) AND get_byte(uuid_send(x.id), 15) % one_in = 0
        GROUP BY w.term HAVING count(*) * one_in > total / 20000
    ), gone AS (
        DELETE FROM memory_term t
        WHERE t.tenant_id = v_tenant AND NOT EXISTS (SELECT FROM found c WHERE c.term = t.term)
    ), written AS (
        INSERT INTO memory_term (tenant_id, id, term, df)
        SELECT v_tenant, gen_random_uuid(), c.term, c.df FROM found c ORDER BY c.term
        ON CONFLICT (tenant_id, term) DO UPDATE SET df = excluded.df WHERE memory_term.df <> excluded.df
    )
    SELECT count(*) INTO counted FROM found;
    INSERT INTO memory_termcount (tenant_id, id, chunks, newest, counted_at, erasures)
    VALUES (v_tenant, gen_random_uuid(), total, newest, statement_timestamp(), 0)
    ON CONFLICT (tenant_id) DO UPDATE
    SET chunks = excluded.chunks, newest = excluded.newest, counted_at = excluded.counted_at
    WHERE memory_termcount.erasures = coalesce(last.erasures, 0);
    IF NOT FOUND THEN
        RAISE EXCEPTION 'words were erased while they were counted' USING ERRCODE = 'serialization_failure';
    END IF;
    RETURN counted;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.counted_as(p_tenant uuid, p_people uuid[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    yesterday timestamptz := statement_timestamp() - interval '1 day';
    found uuid[] := p_people;
    more uuid[];
BEGIN
    LOOP
        SELECT array_agg(DISTINCT h.holder) INTO more FROM governance_user u
        CROSS JOIN LATERAL (VALUES
            (CASE WHEN NOT EXISTS (
                SELECT FROM governance_membership m
                WHERE m.tenant_id = p_tenant AND m.user_id = u.id AND m.is_active AND m.role IN ('reviewer', 'admin')
                  AND m.created_at <= yesterday) THEN u.made_by END),
            (CASE WHEN u.reset_at > yesterday THEN u.reset_by END)) h (holder)
        WHERE u.id = ANY (found) AND h.holder IS NOT NULL AND NOT h.holder = ANY (found);
        EXIT WHEN more IS NULL;
        found := found || more;
    END LOOP;
    RETURN found;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.create_agent(p_tenant uuid, p_slug text, p_channels text[], OUT agent_id uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM acting_manager(p_tenant);
    agent_id := new_id();
    INSERT INTO governance_agent (tenant_id, id, slug, channels, is_active, reads_quarantined, created_at)
    VALUES (p_tenant, agent_id, p_slug, p_channels, true, false, clock_timestamp());
    PERFORM owe_entry(p_tenant, 'agent.created', agent_id::text);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.cues_of(p_text text)
 RETURNS bigint[]
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
DECLARE cues bigint[];
BEGIN
    cues := ARRAY(SELECT DISTINCT hashtextextended(w, 0) FROM unnest(words_of(p_text)) w);
    RETURN CASE WHEN cues = '{}' THEN ARRAY[hashtextextended('', 0)] ELSE cues END;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.date_vector(p_language regconfig, p_ts timestamp with time zone)
 RETURNS tsvector
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
DECLARE
    at timestamp := p_ts AT TIME ZONE 'UTC';
    months text[] := CASE p_language::text
        WHEN 'english' THEN '{January,February,March,April,May,June,July,August,September,October,November,December}'
        WHEN 'german' THEN '{Januar,Februar,März,April,Mai,Juni,Juli,August,September,Oktober,November,Dezember}'
        WHEN 'spanish' THEN
            '{enero,febrero,marzo,abril,mayo,junio,julio,agosto,septiembre,octubre,noviembre,diciembre}'
        WHEN 'french' THEN
            '{janvier,février,mars,avril,mai,juin,juillet,août,septembre,octobre,novembre,décembre}'
        WHEN 'italian' THEN
            '{gennaio,febbraio,marzo,aprile,maggio,giugno,luglio,agosto,settembre,ottobre,novembre,dicembre}'
        WHEN 'portuguese' THEN
            '{janeiro,fevereiro,março,abril,maio,junho,julho,agosto,setembro,outubro,novembro,dezembro}'
        WHEN 'dutch' THEN
            '{januari,februari,maart,april,mei,juni,juli,augustus,september,oktober,november,december}'
        WHEN 'arabic' THEN '{يناير,فبراير,مارس,أبريل,مايو,يونيو,يوليو,أغسطس,سبتمبر,أكتوبر,نوفمبر,ديسمبر}'
        END;
BEGIN
    RETURN to_tsvector(p_language, concat_ws(' ', months[extract(month FROM at)::int], to_char(at, 'YYYY FMDD')));
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.decay_confidence(p_tenant uuid, p_now timestamp with time zone, p_after uuid, p_limit integer, OUT last uuid, OUT changes integer)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    one record;
    v_now numeric;
    v_steps int;
BEGIN
    PERFORM require_job(p_tenant);
    changes := 0;
    FOR one IN
        SELECT a.id FROM memory_chunkaccess a
        WHERE a.tenant_id = p_tenant AND a.id > p_after AND a.confidence <> 0.5 ORDER BY a.id LIMIT p_limit
    LOOP
        last := one.id;
        -- Counted before the lock for the many that are not due, and again behind it.
        CONTINUE WHEN decay_steps(p_tenant, one.id, p_now) = 0;
        v_now := lock_access(p_tenant, one.id);
        v_steps := decay_steps(p_tenant, one.id, p_now);
        WHILE v_steps > 0 AND v_now <> 0.5 LOOP
            v_now := confidence_decayed(v_now);
            PERFORM change_confidence(p_tenant, one.id, 'decay', v_now, p_now, '', NULL, false);
            changes := changes + 1;
            v_steps := v_steps - 1;
        END LOOP;
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.decay_steps(p_tenant uuid, p_chunk uuid, p_now timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    v_since timestamptz;
    v_done int;
BEGIN
    SELECT greatest(a.last_outcome_at, (
        SELECT c.at FROM memory_confidencechange c
        WHERE c.tenant_id = p_tenant AND c.chunk_id = p_chunk AND c.kind <> 'decay' ORDER BY c.number DESC LIMIT 1))
    INTO v_since FROM memory_chunkaccess a WHERE a.tenant_id = p_tenant AND a.id = p_chunk;
    SELECT count(*) INTO v_done FROM memory_confidencechange c
    WHERE c.tenant_id = p_tenant AND c.chunk_id = p_chunk AND c.kind = 'decay' AND c.at > v_since;
    RETURN greatest(coalesce(floor(extract(epoch FROM p_now - v_since) / 2592000), 0) - v_done, 0);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.decide_erasure(p_tenant uuid, p_erasure uuid, p_decision text, p_reason text)
 RETURNS TABLE(edit_id uuid, verdict_id uuid)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    me acting_context := acting_admin(p_tenant);
    s governance_erasurestate;
BEGIN
    -- The claim: of two admins at once, the second waits here and then finds the erasure decided.
    SELECT * INTO s FROM governance_erasurestate x WHERE x.tenant_id = p_tenant AND x.erasure_id = p_erasure FOR UPDATE;
    IF NOT FOUND THEN RAISE EXCEPTION 'there is no such erasure' USING ERRCODE = 'SU404'; END IF;
    IF p_decision NOT IN ('approved', 'rejected', 'withdrawn') THEN
        RAISE EXCEPTION 'the decision must be approved, rejected or withdrawn' USING ERRCODE = 'SU400';
    END IF;
    IF (p_decision = 'withdrawn') <> (s.proposed_by = me.id) THEN
        RAISE EXCEPTION '%', CASE p_decision WHEN 'withdrawn' THEN 'only the proposer of an erasure can withdraw it'
            ELSE 'you cannot decide an erasure that you proposed' END USING ERRCODE = 'SU403';
    END IF;
    IF s.status <> 'pending' THEN
        RAISE EXCEPTION 'the erasure is already %', s.status USING ERRCODE = 'SU409';
    END IF;
    IF p_decision = 'approved' THEN PERFORM require_second_person(p_tenant, ARRAY[s.proposed_by]); END IF;
    UPDATE governance_erasurestate x SET status = p_decision, decided_by = me.id, decider = me.name,
        decided_at = clock_timestamp(), decision_reason = p_reason
    WHERE x.tenant_id = p_tenant AND x.erasure_id = p_erasure;
    IF p_decision = 'approved' THEN RETURN QUERY SELECT * FROM erase_content(p_tenant, p_erasure); END IF;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.decide_policy_change(p_tenant uuid, p_change uuid, p_apply boolean, OUT refusal text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    me acting_context := acting_admin(p_tenant);
    c governance_policychange;
BEGIN
    SELECT * INTO c FROM governance_policychange x WHERE x.tenant_id = p_tenant AND x.id = p_change;
    IF NOT FOUND THEN refusal := 'no_such_policy_change'; RETURN; END IF;
    IF p_apply AND c.needs_second AND c.proposed_by = me.id THEN refusal := 'own_policy_change'; RETURN; END IF;
    IF p_apply AND c.needs_second THEN PERFORM require_second_person(p_tenant, ARRAY[c.proposed_by]); END IF;
    -- the tenant first, as whoever proposes does
    PERFORM FROM governance_tenant t WHERE t.id = p_tenant FOR NO KEY UPDATE;
    UPDATE governance_policychangestate s SET status = CASE WHEN p_apply THEN 'applied' ELSE 'rejected' END,
        decided_by = me.id, decider = me.name, decided_at = clock_timestamp(), takes_effect_at = NULL
    WHERE s.tenant_id = p_tenant AND s.change_id = p_change AND s.status = 'pending';
    IF NOT FOUND THEN refusal := 'policy_change_not_pending'; RETURN; END IF;
    IF p_apply THEN PERFORM write_policy_rules(p_tenant, c.preset, c.overrides, c.promotion); END IF;
    PERFORM owe_entry(p_tenant, CASE WHEN p_apply THEN 'policy.changed' ELSE 'policy.rejected' END, p_change::text);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.decisions_in_force(p_tenant uuid, p_all boolean, p_scope text, p_projects text[], p_subject_type text, p_subject_id text, p_sessions text[], p_listening text[], p_sensitivities text[], p_include_quarantined boolean, p_limit integer)
 RETURNS TABLE(decision_id uuid, decision text, details text, importance numeric, ts timestamp with time zone, precedence integer, is_quarantined boolean, edits_applied integer, event_id uuid, scope text, subject_type text, subject_id text, project_id text, session_id text, channel text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    RETURN QUERY
    SELECT d.id, c.body, f.body, d.importance, d.ts,
        CASE d.scope WHEN 'policy' THEN 4 WHEN 'project' THEN 3 WHEN 'user' THEN 2 WHEN 'session' THEN 1 ELSE 0 END,
        d.is_quarantined, d.edits_applied, d.event_id, d.scope, d.subject_type, d.subject_id, d.project_id,
        d.session_id, d.channel
    FROM memory_effectivedecision d
    CROSS JOIN LATERAL content_of(v_tenant, d.content_id) c
    LEFT JOIN LATERAL content_of(v_tenant, d.details_id) f ON true
    WHERE d.tenant_id = v_tenant AND d.status = 'active' AND NOT d.is_retracted
      AND why_decision_hidden(d, p_listening, p_sensitivities, p_include_quarantined) IS NULL
      AND (p_scope IS NULL OR d.scope = p_scope)
      AND (p_all OR CASE d.scope
            WHEN 'project' THEN d.project_id = ANY (p_projects)
            WHEN 'user' THEN d.subject_id = p_subject_id AND (p_subject_type IS NULL OR d.subject_type = p_subject_type)
            WHEN 'session' THEN d.session_id = ANY (p_sessions) OR d.subject_id = ANY (p_sessions)
            ELSE true END)
    ORDER BY 6 DESC, d.ts DESC, d.id DESC LIMIT p_limit;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.delete_checkpoints(p_tenant uuid, p_running uuid, p_checkpoint uuid)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    s memory_runningsession := session_to_use(p_tenant, p_running, 'remove');
    removed uuid[];
BEGIN
    PERFORM require_tenant(p_tenant);
    removed := remove_checkpoints(p_tenant, ARRAY(
        SELECT x.id FROM memory_checkpointstate x
        WHERE x.tenant_id = p_tenant AND x.running_id = s.id AND NOT x.is_removed
          AND (p_checkpoint IS NULL OR x.id = p_checkpoint)), 'deleted', NULL);
    IF removed <> '{}' THEN PERFORM owe_entry(p_tenant, 'checkpoint.deleted', removed[1]::text); END IF;
    RETURN QUERY SELECT unnest(removed);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.delete_second_factor(p_user uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE was_on boolean := EXISTS (SELECT FROM otp_totp_totpdevice d WHERE d.user_id = p_user AND d.confirmed);
BEGIN
    DELETE FROM otp_totp_totpdevice d WHERE d.user_id = p_user;
    PERFORM replace_recovery_codes(p_user, '{}');
    RETURN was_on;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.delete_session(p_tenant uuid, p_running uuid)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE s memory_runningsession := session_to_use(p_tenant, p_running, 'remove');
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY SELECT unnest(remove_checkpoints(p_tenant, ARRAY(
        SELECT x.id FROM memory_checkpointstate x
        WHERE x.tenant_id = p_tenant AND x.running_id = s.id AND NOT x.is_removed), 'deleted', NULL));
    DELETE FROM memory_sessionshare h WHERE h.tenant_id = p_tenant AND h.running_id = s.id;
    UPDATE memory_runningsession x SET status = 'deleted' WHERE x.tenant_id = p_tenant AND x.id = s.id;
    PERFORM owe_entry(p_tenant, 'session.deleted', s.id::text);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.derived_from(p_tenant uuid, p_events uuid[])
 RETURNS TABLE(event_id uuid, kind text, record_id uuid, edits_applied integer)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT e.id, r.kind, r.id, r.edits FROM unnest(p_events) e (id)
    CROSS JOIN LATERAL (
        SELECT 'chunk' AS kind, k.id, k.chunk_index AS place, x.edits_applied AS edits FROM memory_chunk k
        CROSS JOIN LATERAL (
            SELECT y.edits_applied FROM memory_effectivechunk y WHERE y.tenant_id = v_tenant AND y.id = k.id LIMIT 1) x
        WHERE k.tenant_id = v_tenant AND k.event_id = e.id
        UNION ALL
        SELECT 'decision', d.id, 0, NULL FROM memory_decision d WHERE d.tenant_id = v_tenant AND d.event_id = e.id
        UNION ALL
        SELECT 'task', t.task_id, 0, NULL FROM memory_task t WHERE t.tenant_id = v_tenant AND t.event_id = e.id
        UNION ALL
        SELECT 'artifact', a.id, 0, NULL FROM memory_artifact a WHERE a.tenant_id = v_tenant AND a.event_id = e.id
        ORDER BY place
    ) r;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.duplicate_candidates(p_tenant uuid, p_chunks uuid[])
 RETURNS TABLE(chunk_id uuid, text text, content_id uuid, span_start integer, span_end integer, other_id uuid, other_text text, other_content_id uuid, other_span_start integer, other_span_end integer)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    v_tenant uuid := p_tenant;
    k record;
    longest text[];
    wanted tsquery;
BEGIN
    PERFORM require_job(p_tenant);
    FOR k IN
        SELECT x.*, span_of(c.body, x.span_start, x.span_end) AS words
        FROM unnest(p_chunks) i (id)
        CROSS JOIN LATERAL (
            SELECT y.* FROM memory_effectivechunk y WHERE y.tenant_id = v_tenant AND y.id = i.id
              AND NOT y.is_retracted AND y.superseded_by IS NULL LIMIT 1) x
        CROSS JOIN LATERAL content_of(v_tenant, x.content_id) c
    LOOP
        longest := ARRAY(SELECT l FROM unnest(tsvector_to_array(k.tsv)) l ORDER BY length(l) DESC, l LIMIT 3);
        CONTINUE WHEN cardinality(longest) < 2;
        wanted := term_query(v_tenant, longest[1]) && term_query(v_tenant, longest[2]);
        IF cardinality(longest) = 3 THEN
            wanted := wanted || term_query(v_tenant, longest[3]) && term_query(v_tenant, longest[1], longest[2]);
        END IF;
        wanted := wanted && filter_query(v_tenant, NULL, NULL, k.subject_type, k.subject_id, k.project_id, NULL);
        RETURN QUERY
        SELECT k.id, k.words, k.content_id, k.span_start, k.span_end, o.id, span_of(c.body, o.span_start, o.span_end),
            o.content_id, o.span_start, o.span_end
        FROM (SELECT x.id, x.content_id, x.span_start, x.span_end FROM memory_effectivechunk x
              WHERE has_terms(x, v_tenant, wanted) AND NOT x.is_retracted AND x.superseded_by IS NULL AND x.id <> k.id
                AND (x.scope, x.subject_type, x.subject_id, x.project_id)
                    IS NOT DISTINCT FROM (k.scope, k.subject_type, k.subject_id, k.project_id)
                AND abs(length(x.tsv) - length(k.tsv)) <= 1
              LIMIT 20) o
        CROSS JOIN LATERAL content_of(v_tenant, o.content_id) c;
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.duplicates_of(p_tenant uuid, p_chunk uuid)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE ROWS 1
AS $function$
    SELECT d.other_id FROM memory_duplicate d WHERE d.tenant_id = p_tenant AND d.chunk_id = p_chunk
    UNION ALL
    SELECT d.chunk_id FROM memory_duplicate d WHERE d.tenant_id = p_tenant AND d.other_id = p_chunk
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.effective_chunks_of(p_tenant uuid, p_event uuid)
 RETURNS SETOF memory_effectivechunk
 LANGUAGE sql
 STABLE ROWS 2
AS $function$
    SELECT x.* FROM (
        SELECT c.id FROM memory_chunk c WHERE c.tenant_id = p_tenant AND c.event_id = p_event OFFSET 0) k
    CROSS JOIN LATERAL (
        SELECT y.* FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = k.id LIMIT 1) x
$function$

-- owner suture_gate; EXECUTE to suture_gate, EXECUTE to suture_owner
CREATE OR REPLACE FUNCTION public.effective_drift(p_tenant uuid)
 RETURNS TABLE(kind text, id uuid, problem text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    spoken regconfig;
    former regconfig[];
BEGIN
    PERFORM require_tenant(p_tenant);
    spoken := search_language(p_tenant);
    former := ARRAY(
        SELECT g.oid::regconfig FROM pg_ts_config g
        WHERE g.cfgnamespace = 'pg_catalog'::regnamespace AND (g.cfgname = 'english' OR g.cfgname IN (
            SELECT e.metadata ->> 'search_language' FROM governance_entry e
            WHERE e.tenant_id = p_tenant AND e.type = 'tenant.changed')));
    RETURN QUERY
    WITH edited AS (
        SELECT c.event_id, CASE WHEN c.event_id IS NULL THEN c.id END AS chunk_id FROM governance_edit e
        JOIN governance_editstate s ON s.tenant_id = p_tenant AND s.edit_id = e.id AND s.status = 'approved'
        JOIN memory_chunk c ON c.tenant_id = p_tenant AND c.id = e.target_id WHERE e.tenant_id = p_tenant
        UNION
        SELECT d.event_id, NULL FROM governance_edit e
        JOIN governance_editstate s ON s.tenant_id = p_tenant AND s.edit_id = e.id AND s.status = 'approved'
        JOIN memory_decision d ON d.tenant_id = p_tenant AND d.id = e.target_id WHERE e.tenant_id = p_tenant
        UNION  -- erased records fold to another row than recorded ones
        SELECT c.event_id, CASE WHEN c.event_id IS NULL THEN c.id END FROM governance_erasureitem i
        JOIN memory_chunk c ON c.tenant_id = p_tenant AND c.id = i.record_id
        WHERE i.tenant_id = p_tenant AND i.kind = 'chunk'
        UNION  -- another memory may have its place
        SELECT c.event_id, CASE WHEN c.event_id IS NULL THEN c.id END FROM memory_supersession s
        JOIN memory_chunk c ON c.tenant_id = p_tenant AND c.id = s.superseded_id WHERE s.tenant_id = p_tenant
        UNION
        SELECT c.event_id, CASE WHEN c.event_id IS NULL THEN c.id END FROM memory_captureremoval r
        JOIN memory_chunk c ON c.tenant_id = p_tenant AND c.id = r.chunk_id WHERE r.tenant_id = p_tenant
        UNION  -- beside an edited chunk of a file
        SELECT NULL, n.id FROM governance_edit e
        JOIN governance_editstate s ON s.tenant_id = p_tenant AND s.edit_id = e.id AND s.status = 'approved'
        JOIN memory_chunk c ON c.tenant_id = p_tenant AND c.id = e.target_id AND c.source = 'file'
        CROSS JOIN LATERAL unnest(file_neighbours(p_tenant, ARRAY[c.id])) n (id) WHERE e.tenant_id = p_tenant
    ), placed AS (
        SELECT DISTINCT p.chunk_id FROM (
            SELECT DISTINCT ON (v.recorded_by, v.session_id, v.file_path) v.placed_by FROM memory_fileversion v
            WHERE v.tenant_id = p_tenant ORDER BY v.recorded_by, v.session_id, v.file_path, v.number DESC) l
        JOIN memory_fileplacement p ON p.tenant_id = p_tenant AND p.version_id = l.placed_by
    ), promoted AS (
        SELECT DISTINCT ON (p.chunk_id) p.chunk_id, p.to_tier FROM memory_promotion p WHERE p.tenant_id = p_tenant
        ORDER BY p.chunk_id, p.number DESC
    ), folded AS (
        SELECT f.* FROM edited u, fold_memory(p_tenant, u.event_id, u.chunk_id) f
    ), expected AS (
        SELECT k.id, coalesce(f.is_retracted, w.id IS NULL) AS is_retracted, coalesce(f.is_quarantined, false) AS is_quarantined,
            coalesce(f.blocked_channels, '{}') AS blocked_channels, coalesce(f.content_id, k.content_id) AS content_id,
            CASE WHEN f.chunk_id IS NULL THEN k.span_start ELSE f.span_start END AS span_start,
            CASE WHEN f.chunk_id IS NULL THEN k.span_end ELSE f.span_end END AS span_end,
            coalesce(f.importance, k.importance) AS importance,
            CASE WHEN f.chunk_id IS NOT NULL THEN f.superseded_by
                 WHEN k.source = 'file' AND l.chunk_id IS NULL THEN k.id END AS superseded_by,
            coalesce(f.is_superseded, k.source = 'file' AND l.chunk_id IS NULL) AS is_superseded, coalesce(f.edits_applied, 0) AS edits, m.seq, m.block_label,
            coalesce(m.is_core, false) AS is_core, m.expires_at,
            k.event_id, k.tags, k.scope, k.subject_type, k.subject_id, k.project_id, k.session_id, k.channel,
            k.sensitivity, k.ts, coalesce(o.to_tier, first_tier()) AS tier, k AS record, coalesce(p.is_reworded, false) AS is_reworded
        FROM memory_chunk k LEFT JOIN folded f ON f.chunk_id = k.id
        LEFT JOIN placed l ON l.chunk_id = k.id
        LEFT JOIN promoted o ON o.chunk_id = k.id
        LEFT JOIN memory_agentmemory m ON m.tenant_id = p_tenant AND m.id = k.id
        LEFT JOIN memory_pendingcontext p ON p.tenant_id = p_tenant AND p.id = k.id
        LEFT JOIN governance_content w ON w.tenant_id = p_tenant AND w.id = k.content_id
        WHERE k.tenant_id = p_tenant
    ), worded AS (  -- neighbours together, which cost less than each by itself
        SELECT l.id, l.lex FROM (
            SELECT array_agg(o.id) AS ids FROM (
                SELECT y.id, row_number() OVER (ORDER BY y.session_id, y.ts, y.id) / 50 AS part
                FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant) o
            GROUP BY o.part) g
        CROSS JOIN LATERAL lex_of_chunks(p_tenant, g.ids) l
    )
    SELECT 'chunk', coalesce(x.id, k.id), CASE
            WHEN x.id IS NULL THEN 'missing'
            WHEN k.id IS NULL THEN 'without a record'
            WHEN (x.event_id, x.tags, x.scope, x.subject_type, x.subject_id, x.project_id, x.session_id, x.channel,
                  x.sensitivity, x.ts, x.seq, x.block_label, x.is_core, x.expires_at) IS DISTINCT FROM (k.event_id, k.tags,
                  k.scope, k.subject_type, k.subject_id, k.project_id, k.session_id, k.channel, k.sensitivity, k.ts,
                  k.seq, k.block_label, k.is_core, k.expires_at)
                 OR (x.source, x.chunk_index, x.recorded_by, x.recorder) IS DISTINCT FROM
                 ((k.record).source, (k.record).chunk_index, (k.record).recorded_by, (k.record).recorder) THEN 'metadata'
            WHEN (x.is_retracted, x.is_quarantined, x.blocked_channels, x.superseded_by, x.is_superseded)
                 IS DISTINCT FROM
                 (k.is_retracted, k.is_quarantined, k.blocked_channels, k.superseded_by, k.is_superseded)
                 OR x.is_expired AND (k.expires_at <= statement_timestamp()) IS NOT TRUE THEN 'visibility'
            WHEN (x.content_id, x.span_start, x.span_end) IS DISTINCT FROM
                 (k.content_id, k.span_start, k.span_end)
                 OR x.text IS DISTINCT FROM
                 CASE WHEN NOT (k.is_retracted OR x.is_expired) THEN span_of(c.body, k.span_start, k.span_end) END
                 THEN 'text'
            WHEN x.importance <> k.importance THEN 'importance'
            WHEN x.tier <> k.tier THEN 'tier'
            WHEN x.edits_applied <> k.edits THEN 'edits_applied'
            WHEN x.tsv IS DISTINCT FROM
                 CASE WHEN NOT (k.is_retracted OR x.is_expired)
                     THEN text_vector(spoken, span_of(c.body, k.span_start, k.span_end)) END
                 THEN 'search vector'
            ELSE 'words in context' END
    FROM (SELECT * FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant) x
    FULL JOIN expected k ON k.id = x.id
    LEFT JOIN worded l ON l.id = k.id
    LEFT JOIN governance_content c ON c.tenant_id = p_tenant AND c.id = k.content_id
    WHERE (x.event_id, x.tags, x.scope, x.subject_type, x.subject_id, x.project_id, x.session_id, x.channel,
           x.sensitivity, x.ts, x.is_retracted, x.is_quarantined, x.blocked_channels, x.superseded_by, x.content_id, x.span_start,
           x.span_end, x.importance, x.tier, x.edits_applied, x.text, x.tsv, x.id, x.is_superseded, x.seq, x.block_label, x.is_core,
           x.expires_at)
        IS DISTINCT FROM (k.event_id, k.tags, k.scope, k.subject_type, k.subject_id, k.project_id, k.session_id,
           k.channel, k.sensitivity, k.ts, k.is_retracted, k.is_quarantined, k.blocked_channels, k.superseded_by, k.content_id,
           k.span_start, k.span_end, k.importance, k.tier, k.edits,
           CASE WHEN NOT (k.is_retracted OR x.is_expired) THEN span_of(c.body, k.span_start, k.span_end) END,
           -- until the job has made it again, in one of the tenant's former languages
           CASE WHEN k.is_reworded AND NOT (k.is_retracted OR x.is_expired) AND x.tsv IN (
                    SELECT text_vector(l, span_of(c.body, k.span_start, k.span_end)) FROM unnest(former) l) THEN x.tsv
                WHEN NOT (k.is_retracted OR x.is_expired)
                    THEN text_vector(spoken, span_of(c.body, k.span_start, k.span_end)) END,
           k.id, k.is_superseded, k.seq, k.block_label, k.is_core, k.expires_at)
        OR (x.source, x.chunk_index, x.recorded_by, x.recorder) IS DISTINCT FROM
           ((k.record).source, (k.record).chunk_index, (k.record).recorded_by, (k.record).recorder)
        OR x.is_expired AND (k.expires_at <= statement_timestamp()) IS NOT TRUE
        -- the vector of its words and its neighbours', unless the job has still to bring it up to date
        OR NOT is_same_lex(x.lex, CASE WHEN NOT (k.is_retracted OR k.superseded_by IS NOT NULL OR x.is_expired)
                THEN l.lex END)
            AND (k.is_retracted OR k.superseded_by IS NOT NULL OR x.is_expired OR NOT is_context_pending(k.record));
    RETURN QUERY
    SELECT 'decision', coalesce(x.id, d.id), CASE WHEN x.id IS NULL THEN 'missing' WHEN d.id IS NULL
        THEN 'without a record' ELSE 'state' END
    FROM (SELECT * FROM memory_effectivedecision y WHERE y.tenant_id = p_tenant) x
    FULL JOIN (SELECT y.id AS did, y.*, f.is_retracted, f.is_quarantined, f.blocked_channels, f.content_id AS words,
                   f.details_id AS details, f.importance, f.edits_applied, f.status
               FROM memory_decision y, fold_decision(p_tenant, y.id) f WHERE y.tenant_id = p_tenant) d ON d.did = x.id
    WHERE (x.is_retracted, x.is_quarantined, x.blocked_channels, x.content_id, x.details_id, x.importance,
           x.edits_applied, x.status, x.event_id, x.scope, x.subject_type, x.subject_id, x.project_id, x.session_id,
           x.channel, x.sensitivity, x.ts, x.id)
        IS DISTINCT FROM (d.is_retracted, d.is_quarantined, d.blocked_channels, d.words, d.details, d.importance,
           d.edits_applied, d.status, d.event_id, d.scope, d.subject_type, d.subject_id, d.project_id, d.session_id,
           d.channel, d.sensitivity, d.ts, d.did);
    RETURN QUERY
    SELECT 'task', coalesce(x.id, t.task_id), CASE WHEN x.id IS NULL THEN 'missing' WHEN t.task_id IS NULL
        THEN 'without a record' ELSE 'state' END
    FROM (SELECT * FROM memory_effectivetask y WHERE y.tenant_id = p_tenant) x
    FULL JOIN (SELECT y.task_id, f.*, u.scope, u.subject_type, u.subject_id, u.project_id, u.session_id, u.channel,
                   u.sensitivity
               FROM (SELECT DISTINCT z.task_id FROM memory_task z WHERE z.tenant_id = p_tenant) y,
                   fold_task(p_tenant, y.task_id) f
               JOIN memory_task u ON u.tenant_id = p_tenant AND u.id = f.update_id) t ON t.task_id = x.id
    WHERE (x.update_id, x.event_id, x.content_id, x.details_id, x.status, x.ts, x.is_retracted, x.is_quarantined,
           x.blocked_channels, x.edits_applied, x.scope, x.subject_type, x.subject_id, x.project_id, x.session_id,
           x.channel, x.sensitivity, x.id)
        IS DISTINCT FROM (t.update_id, t.event_id, t.content_id, t.details_id, t.status, t.ts, t.is_retracted,
           t.is_quarantined, t.blocked_channels, t.edits_applied, t.scope, t.subject_type, t.subject_id, t.project_id,
           t.session_id, t.channel, t.sensitivity, t.task_id);
    RETURN QUERY
    SELECT 'usage', coalesce(a.id, e.id), CASE
        WHEN (coalesce(a.access_count, 0), a.last_accessed) IS DISTINCT FROM (coalesce(e.accesses, 0), e.last_accessed)
            THEN 'accesses'
        WHEN coalesce(a.confidence, 0.5) <> coalesce(e.confidence, 0.5) THEN 'confidence'
        ELSE 'outcomes' END
    FROM (SELECT * FROM memory_chunkaccess y WHERE y.tenant_id = p_tenant) a
    FULL JOIN (
        SELECT u.id, sum(u.accesses)::bigint AS accesses, max(u.last_accessed) AS last_accessed,
            sum(u.successes)::bigint AS successes, sum(u.failures)::bigint AS failures,
            max(u.last_outcome_at) AS last_outcome_at, max(u.confidence) AS confidence
        FROM (
            SELECT y.chunk_id AS id, count(*) AS accesses, max(y.at) AS last_accessed, 0::bigint AS successes,
                0::bigint AS failures, NULL::timestamptz AS last_outcome_at, NULL::numeric AS confidence
            FROM memory_delivery y WHERE y.tenant_id = p_tenant AND y.receiver_kind = 'agent' GROUP BY y.chunk_id
            UNION ALL
            SELECT y.chunk_id, 0, NULL, count(*) FILTER (WHERE y.outcome = 'success'),
                count(*) FILTER (WHERE y.outcome = 'failure'), max(y.at), NULL
            FROM memory_outcome y WHERE y.tenant_id = p_tenant GROUP BY y.chunk_id
            UNION ALL
            (SELECT DISTINCT ON (y.chunk_id) y.chunk_id, 0, NULL::timestamptz, 0, 0, NULL::timestamptz, y.after
            FROM memory_confidencechange y WHERE y.tenant_id = p_tenant ORDER BY y.chunk_id, y.number DESC)
        ) u GROUP BY u.id
    ) e ON e.id = a.id
    WHERE (coalesce(a.access_count, 0), a.last_accessed, coalesce(a.successes, 0), coalesce(a.failures, 0),
           a.last_outcome_at, coalesce(a.confidence, 0.5))
        IS DISTINCT FROM (coalesce(e.accesses, 0), e.last_accessed, coalesce(e.successes, 0), coalesce(e.failures, 0),
           e.last_outcome_at, coalesce(e.confidence, 0.5));
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.effective_words(p_tenant uuid, p_chunk uuid)
 RETURNS TABLE(text text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER ROWS 1
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    RETURN QUERY
    SELECT span_of(c.body, x.span_start, x.span_end) FROM memory_effectivechunk x
    CROSS JOIN LATERAL content_of(p_tenant, x.content_id) c
    WHERE x.tenant_id = p_tenant AND x.id = p_chunk AND x.channel = ANY (me.channels)
      AND is_seen(x, me.channels, sensitivities_heard(p_tenant, me.channels), true);
END $function$

-- owner suture_gate; EXECUTE to suture_gate, EXECUTE to suture_owner
CREATE OR REPLACE FUNCTION public.embedding_drift(p_tenant uuid)
 RETURNS TABLE(kind text, id uuid, problem text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT 'embedding', e.chunk_id, CASE
        WHEN s.content_id IS NULL THEN 'of a chunk without words'
        WHEN (s.content_id, s.span_start, s.span_end) IS DISTINCT FROM (e.content_id, e.span_start, e.span_end)
            THEN 'of other words'
        ELSE 'of other neighbours' END
    FROM memory_embedding e
    LEFT JOIN LATERAL embedding_source(p_tenant, e.chunk_id) s ON true
    WHERE e.tenant_id = p_tenant AND (
        s.content_id IS NULL
        OR (s.content_id, s.span_start, s.span_end) IS DISTINCT FROM (e.content_id, e.span_start, e.span_end)
        -- recorded since, a neighbour lends more than it did: the job knows, or will
        OR e.context IS NOT NULL AND s.context IS DISTINCT FROM e.context
           AND NOT EXISTS (SELECT FROM memory_embeddingitem i WHERE i.tenant_id = p_tenant AND i.id = e.chunk_id)
           AND NOT EXISTS (SELECT FROM memory_chunk k WHERE k.tenant_id = p_tenant AND k.id = e.chunk_id
               AND is_context_pending(k)));
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.embedding_progress(p_tenant uuid)
 RETURNS TABLE(waiting bigint, waiting_since timestamp with time zone, isolated bigint, unwanted bigint, models text[], vectors bigint[], complete boolean[])
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT q.waiting, q.since, q.isolated, q.unwanted, m.models, m.vectors, m.complete
    FROM (SELECT count(*) FILTER (WHERE i.state = 'waiting') AS waiting,
              min(i.due_at) FILTER (WHERE i.state = 'waiting' AND i.due_at <= statement_timestamp()) AS since,
              count(*) FILTER (WHERE i.state = 'isolated') AS isolated,
              count(*) FILTER (WHERE i.state = 'off') AS unwanted
          FROM memory_embeddingitem i WHERE i.tenant_id = p_tenant) q
    CROSS JOIN (SELECT coalesce(array_agg(x.model ORDER BY x.id), '{}') AS models,
              coalesce(array_agg(x.row_count ORDER BY x.id), '{}') AS vectors,
              coalesce(array_agg(x.is_complete ORDER BY x.id), '{}') AS complete
          FROM memory_embeddingmodel x WHERE x.tenant_id = p_tenant) m;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.embedding_source(p_tenant uuid, p_chunk uuid)
 RETURNS TABLE(content_id uuid, span_start integer, span_end integer, speaker text, text text, speaker_before text, text_before text, speaker_after text, text_after text, context uuid)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER ROWS 1
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
    RETURN QUERY
    WITH beside AS MATERIALIZED (
        SELECT n.place, coalesce(e.actor_id, y.recorder) AS speaker, span_of(c.body, y.span_start, y.span_end) AS text,
            concat_ws(' ', n.place, n.chunk_id, y.content_id, y.span_start, y.span_end) AS key
        FROM memory_chunk k
        JOIN memory_effectivechunk x ON x.tenant_id = p_tenant AND x.id = p_chunk
        CROSS JOIN LATERAL neighbours_of(k, x.blocked_channels) n
        CROSS JOIN LATERAL (
            SELECT z.* FROM memory_effectivechunk z WHERE z.tenant_id = p_tenant AND z.id = n.chunk_id LIMIT 1) y
        CROSS JOIN LATERAL content_of(p_tenant, y.content_id) c
        LEFT JOIN LATERAL event_of(p_tenant, y.event_id) e ON true
        WHERE k.tenant_id = p_tenant AND k.id = p_chunk AND n.lends AND n.place IN (-1, 1)
    )
    SELECT x.content_id, x.span_start, x.span_end, coalesce(e.actor_id, x.recorder),
        span_of(c.body, x.span_start, x.span_end), b.speaker, b.text, a.speaker, a.text,
        CASE WHEN num_nonnulls(b.key, a.key) > 0 THEN md5(concat_ws('; ', b.key, a.key))::uuid END
    FROM memory_effectivechunk x
    CROSS JOIN LATERAL content_of(p_tenant, x.content_id) c
    LEFT JOIN LATERAL event_of(p_tenant, x.event_id) e ON true
    LEFT JOIN beside b ON b.place = -1
    LEFT JOIN beside a ON a.place = 1
    WHERE x.tenant_id = p_tenant AND x.id = p_chunk AND NOT x.is_retracted
      AND (x.superseded_by IS NULL OR x.source = 'file' AND is_staged(p_tenant, x.id))
      AND x.sensitivity <> 'secret' AND (x.expires_at IS NULL OR x.expires_at > statement_timestamp());
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.end_edit(p_tenant uuid, p_edit uuid, p_by_kind text, p_by uuid, p_reason text)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
        RAISE EXCEPTION 'only the proposer of an edit can withdraw it' USING ERRCODE = 'SU403';
    END IF;
    IF s.status <> 'pending' THEN RAISE EXCEPTION 'the edit is already %', s.status USING ERRCODE = 'SU409'; END IF;
    INSERT INTO governance_verdict (tenant_id, id, edit_id, decision, decider_kind, decided_by, decider, decided_at,
        reason, proposed_by, patch_sha256)
    VALUES (p_tenant, verdict, p_edit, ended, CASE WHEN p_by IS NULL THEN 'policy' ELSE p_by_kind END, p_by,
        CASE WHEN p_by IS NULL THEN 'policy:' || e.policy ELSE e.proposer END, clock_timestamp(), p_reason,
        e.proposed_by, e.patch_sha256);
    UPDATE governance_editstate x SET status = ended WHERE x.tenant_id = p_tenant AND x.edit_id = p_edit;
    RETURN verdict;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.enter(p_digest bytea, p_fingerprint bytea)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    entered uuid;
BEGIN
    SELECT a.tenant_id INTO entered FROM authenticate(p_digest) a
    WHERE a.refusal IS NULL AND a.fingerprint = p_fingerprint;
    RETURN entered;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.enter_founder(p_token text, p_tenant uuid)
 RETURNS TABLE(name text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE person uuid := token_bearer(p_token);
BEGIN
    IF EXISTS (SELECT FROM governance_tenant t WHERE t.id = p_tenant) THEN RETURN; END IF;
    SELECT u.username INTO name FROM governance_user u WHERE u.id = person AND u.is_active AND u.is_superuser;
    IF NOT FOUND THEN RETURN; END IF;
    PERFORM open_context(p_tenant, 'human', person, name, '{admin}', '{private,public,team,agent}', NULL);
    RETURN NEXT;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate, EXECUTE to suture_owner, EXECUTE to suture_review
CREATE OR REPLACE FUNCTION public.enter_operator(p_token text, p_tenant uuid, p_kind text, p_id uuid, p_name text)
 RETURNS TABLE(tenant_slug text, name text, roles text[], channels text[])
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    IF token_bearer(p_token) IS NOT NULL THEN
        RAISE EXCEPTION 'only the operator can act for another principal' USING ERRCODE = 'SU403';
    END IF;
    SELECT t.slug INTO tenant_slug FROM governance_tenant t WHERE t.id = p_tenant;
    roles := '{}'; channels := '{private,public,team,agent}'; name := p_name;
    CASE p_kind
        WHEN 'job', 'system' THEN NULL;
        WHEN 'agent' THEN
            SELECT a.slug, a.channels, CASE WHEN a.reads_quarantined THEN '{quarantine_reader}' ELSE '{}' END
            INTO name, channels, roles FROM governance_agent a
            WHERE a.tenant_id = p_tenant AND a.id = p_id AND a.is_active;
            IF NOT FOUND THEN RETURN; END IF;
        WHEN 'human' THEN
            SELECT u.username, (SELECT array_agg(m.role ORDER BY m.role) FROM governance_membership m
                WHERE m.tenant_id = p_tenant AND m.user_id = u.id AND m.is_active)
            INTO name, roles FROM governance_user u WHERE u.id = p_id AND u.is_active;
            IF roles IS NULL THEN RETURN; END IF;
    END CASE;
    PERFORM open_context(p_tenant, p_kind, p_id, name, roles, channels, NULL);
    RETURN NEXT;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate, EXECUTE to suture_review
CREATE OR REPLACE FUNCTION public.enter_person(p_token text, p_tenant uuid)
 RETURNS TABLE(tenant_slug text, name text, roles text[], channels text[], is_superuser boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    person uuid := token_bearer(p_token);
    u governance_user;
BEGIN
    SELECT * INTO u FROM governance_user x WHERE x.id = person AND x.is_active;
    IF NOT FOUND THEN RETURN; END IF;
    SELECT t.slug INTO tenant_slug FROM governance_tenant t WHERE t.id = p_tenant;
    SELECT array_agg(m.role ORDER BY m.role) INTO roles FROM governance_membership m
    WHERE m.tenant_id = p_tenant AND m.user_id = person AND m.is_active;
    IF roles IS NULL AND u.is_superuser THEN roles := '{auditor}'; END IF;
    IF tenant_slug IS NULL OR roles IS NULL THEN RETURN; END IF;
    name := u.username; is_superuser := u.is_superuser; channels := '{private,public,team,agent}';
    PERFORM open_context(p_tenant, 'human', person, name, roles, channels, NULL);
    RETURN NEXT;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.entries_mentioning(p_tenant uuid, p_what text[], p_first uuid, p_end uuid, p_limit integer)
 RETURNS TABLE(entry_id uuid)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_tenant(p_tenant);
    -- One lookup for each of them: the index takes an overlap of many in the square of their number (measured: 41 s
    -- against 40 ms for 1,000 ids in 300,000 entries). Materialized, or a short range of ids would be searched instead,
    -- again for each of them.
    RETURN QUERY WITH found AS MATERIALIZED (
        SELECT e.id FROM unnest(p_what) w
        JOIN governance_entry e ON e.tenant_id = p_tenant AND entry_mentions(e.metadata) @> ARRAY[w]
    )
    SELECT DISTINCT f.id FROM found f
    WHERE (p_first IS NULL OR f.id >= p_first) AND (p_end IS NULL OR f.id < p_end)
    ORDER BY f.id DESC LIMIT p_limit;
END $function$

-- owner suture_owner; EXECUTE to suture_gate, EXECUTE to suture_owner
CREATE OR REPLACE FUNCTION public.entry_mentions(p_metadata jsonb)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    SELECT coalesce(array_agg(DISTINCT m), '{}') FROM (
        SELECT v #>> '{}' AS m FROM jsonb_each(p_metadata) e (k, v) WHERE jsonb_typeof(v) = 'string'
        UNION ALL
        SELECT l #>> '{}' FROM jsonb_each(p_metadata) e (k, v)
            CROSS JOIN LATERAL jsonb_array_elements(CASE WHEN jsonb_typeof(v) = 'array' THEN v ELSE '[]' END) l
            WHERE jsonb_typeof(l) = 'string'
        UNION ALL SELECT p_metadata #>> '{actor,id}'
        UNION ALL SELECT p_metadata #>> '{actor,name}'
    ) x WHERE length(m) BETWEEN 1 AND 200
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.erasable_of_capsules(p_tenant uuid, p_by text, p_target uuid, p_subject_type text, p_subject_id text)
 RETURNS TABLE(kind text, record_id uuid, content_id uuid, retention text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT 'capsule', c.id, CASE WHEN c.forwards_id IS NULL THEN w.id END, 'relationship' FROM capsules_capsule c
    CROSS JOIN LATERAL (VALUES (c.note_id), (c.risks_id)) w (id)
    WHERE c.tenant_id = p_tenant AND CASE p_by
        WHEN 'subject' THEN c.subject_type = p_subject_type AND c.subject_id = p_subject_id
        WHEN 'agent' THEN c.author_kind = 'agent' AND c.authored_by = p_target END;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.erasable_of_memory(p_tenant uuid, p_by text, p_target uuid, p_subject_type text, p_subject_id text)
 RETURNS TABLE(kind text, record_id uuid, content_id uuid, retention text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    events uuid[];
    summaries uuid[];
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT array_agg(e.id) INTO events FROM memory_event e
    WHERE e.tenant_id = p_tenant AND CASE p_by
        WHEN 'event' THEN e.id = p_target
        WHEN 'chunk' THEN e.id = (
            SELECT k.event_id FROM memory_chunk k WHERE k.tenant_id = p_tenant AND k.id = p_target)
        WHEN 'subject' THEN e.subject_type = p_subject_type AND e.subject_id = p_subject_id
        WHEN 'agent' THEN e.recorder_kind = 'agent' AND e.recorded_by = p_target END;
    SELECT array_agg(k.id) INTO summaries FROM memory_chunk k
    WHERE k.tenant_id = p_tenant AND k.event_id IS NULL AND CASE p_by
        WHEN 'chunk' THEN k.id = ANY (p_target || chunks_of_file(p_tenant, p_target))
        WHEN 'subject' THEN k.subject_type = p_subject_type AND k.subject_id = p_subject_id
        WHEN 'agent' THEN k.recorder_kind = 'agent' AND k.recorded_by = p_target END;
    RETURN QUERY
    SELECT 'event', e.id, w.id, e.retention FROM memory_event e
    CROSS JOIN LATERAL (VALUES (e.content_id), (e.fields_id)) w (id)
    WHERE e.tenant_id = p_tenant AND e.id = ANY (events) AND w.id IS NOT NULL
    UNION ALL
    SELECT 'chunk', k.id, k.content_id, k.retention FROM memory_chunk k
    WHERE k.tenant_id = p_tenant AND k.event_id = ANY (events)
    UNION ALL
    SELECT 'chunk', k.id, k.content_id, k.retention FROM memory_chunk k
    WHERE k.tenant_id = p_tenant AND k.id = ANY (summaries)
    UNION ALL
    SELECT r.kind, r.id, r.content_id, e.retention FROM (
        SELECT 'decision' AS kind, d.id, d.event_id, w.id AS content_id FROM memory_decision d
        CROSS JOIN LATERAL (VALUES (d.content_id), (d.details_id)) w (id)
        WHERE d.tenant_id = p_tenant AND d.event_id = ANY (events)
        UNION ALL
        SELECT 'task', t.id, t.event_id, w.id FROM memory_task t
        CROSS JOIN LATERAL (VALUES (t.content_id), (t.details_id)) w (id)
        WHERE t.tenant_id = p_tenant AND t.event_id = ANY (events)
        UNION ALL
        SELECT 'artifact', a.id, a.event_id, a.content_id FROM memory_artifact a
        WHERE a.tenant_id = p_tenant AND a.event_id = ANY (events)
    ) r
    JOIN memory_event e ON e.tenant_id = p_tenant AND e.id = r.event_id
    WHERE r.content_id IS NOT NULL;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.erase_checkpoints(p_tenant uuid, p_erasure uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    e governance_erasure;
    about uuid[];
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT * INTO STRICT e FROM governance_erasure x WHERE x.tenant_id = p_tenant AND x.id = p_erasure;
    about := ARRAY(
        SELECT a.id FROM checkpoints_about(p_tenant, ARRAY(
            SELECT DISTINCT i.record_id FROM governance_erasureitem i
            WHERE i.tenant_id = p_tenant AND i.erasure_id = p_erasure)) a
        WHERE a.is_certain
        UNION
        SELECT s.id FROM memory_checkpointstate s
        CROSS JOIN LATERAL (
            SELECT * FROM memory_checkpoint x WHERE x.tenant_id = p_tenant AND x.id = s.id LIMIT 1) c
        CROSS JOIN LATERAL (
            SELECT * FROM memory_runningsession x WHERE x.tenant_id = p_tenant AND x.id = s.running_id LIMIT 1) o
        WHERE e.named_by = 'agent' AND s.tenant_id = p_tenant AND NOT s.is_removed
          AND e.target_id IN (c.agent_id, o.owner_id));
    PERFORM remove_checkpoints(p_tenant, about, 'erased', p_erasure);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.erase_content(p_tenant uuid, p_erasure uuid)
 RETURNS TABLE(edit_id uuid, verdict_id uuid)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    e governance_erasure;
    kept text;
    step text;
BEGIN
    PERFORM require_tenant(p_tenant);
    -- 1. Only what a second person approved, and only once.
    PERFORM 1 FROM governance_erasurestate s
    WHERE s.tenant_id = p_tenant AND s.erasure_id = p_erasure AND s.status = 'approved' FOR UPDATE;
    IF NOT FOUND THEN RAISE EXCEPTION 'only an approved erasure can delete content' USING ERRCODE = 'SU409'; END IF;
    SELECT * INTO STRICT e FROM governance_erasure x WHERE x.tenant_id = p_tenant AND x.id = p_erasure;
    -- 2. Hold whatever an edit or a verdict would change, in the order in which those take their locks: the pending
    --    edits, then the memories.
    PERFORM 1 FROM governance_editstate s
    WHERE s.tenant_id = p_tenant AND s.status = 'pending' AND s.edit_id IN (
        SELECT x.id FROM erasure_scope(p_tenant, e.named_by, e.target_id, e.subject_type, e.subject_id) r
        JOIN governance_edit x ON x.tenant_id = p_tenant
            AND (x.target_id = r.record_id OR r.kind = 'edit' AND x.id = r.record_id))
    ORDER BY s.edit_id FOR UPDATE;
    PERFORM lock_together(p_tenant, ARRAY(
        SELECT coalesce(r.target_id, r.record_id)
        FROM erasure_scope(p_tenant, e.named_by, e.target_id, e.subject_type, e.subject_id) r));
    -- 3. What there is now. The locks of step 2 keep it so.
    INSERT INTO governance_erasureitem (tenant_id, id, erasure_id, kind, record_id, content_id, sha256)
    SELECT p_tenant, new_id(), p_erasure, r.kind, r.record_id, r.content_id, r.sha256
    FROM erasure_scope(p_tenant, e.named_by, e.target_id, e.subject_type, e.subject_id) r WHERE r.sha256 IS NOT NULL;
    IF NOT FOUND THEN RAISE EXCEPTION 'there is nothing left to erase' USING ERRCODE = 'SU409'; END IF;
    SELECT string_agg(n.name, ', ') INTO kept FROM (
        SELECT DISTINCT format('%s %s', r.kind, r.record_id) AS name
        FROM erasure_scope(p_tenant, e.named_by, e.target_id, e.subject_type, e.subject_id) r
        WHERE r.retention = 'committed' ORDER BY 1 LIMIT 10
    ) n;
    IF kept IS NOT NULL THEN
        RAISE EXCEPTION 'records with the retention committed cannot be erased: %', kept
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
    -- 5. Delete what was derived from them.
    FOR step IN SELECT f FROM functions_beginning('erase_copies_of_') f LOOP
        EXECUTE format('SELECT %I($1, $2)', step) USING p_tenant, p_erasure;
    END LOOP;
    -- 6. An edit whose text is erased can no longer be decided: it expires.
    FOR edit_id IN
        SELECT s.edit_id FROM governance_editstate s JOIN governance_edit x
            ON x.tenant_id = p_tenant AND x.id = s.edit_id
        WHERE s.tenant_id = p_tenant AND s.status = 'pending' AND EXISTS (
            SELECT 1 FROM governance_erasureitem i
            WHERE i.tenant_id = p_tenant AND i.erasure_id = p_erasure AND i.record_id IN (x.id, x.target_id))
        ORDER BY 1
    LOOP
        verdict_id := end_edit(p_tenant, edit_id, NULL, NULL,
            format('Its text was erased by erasure %s.', p_erasure));
        RETURN NEXT;
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.erase_copies_of_capsules(p_tenant uuid, p_erasure uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE one uuid;
BEGIN
    PERFORM require_tenant(p_tenant);
    FOR one IN
        SELECT DISTINCT e.target_id FROM governance_erasureitem i
        JOIN governance_edit e ON e.tenant_id = p_tenant AND e.id = i.record_id
        WHERE i.tenant_id = p_tenant AND i.erasure_id = p_erasure AND i.kind = 'edit' AND e.target_type = 'capsule'
        ORDER BY 1
    LOOP
        PERFORM refold_capsule(p_tenant, one);
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.erase_copies_of_memory(p_tenant uuid, p_erasure uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    memory record;
    chunks uuid[];
BEGIN
    PERFORM require_tenant(p_tenant);
    chunks := ARRAY(SELECT i.record_id FROM governance_erasureitem i
        WHERE i.tenant_id = p_tenant AND i.erasure_id = p_erasure AND i.kind = 'chunk' ORDER BY 1);
    UPDATE memory_effectivechunk x SET is_retracted = true, text = NULL, tsv = NULL, lex = NULL
    WHERE x.tenant_id = p_tenant AND x.id = ANY (chunks);
    PERFORM void_derived(p_tenant, chunks);
    PERFORM withdraw_context(p_tenant, chunks);
    PERFORM refold_locked_memory(p_tenant, k.event_id, k.id)
    FROM unnest(superseded_below(p_tenant, chunks)) i (id) CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k;
    PERFORM hold_consolidations(p_tenant, chunks);
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
    FOR memory IN
        WITH amended AS (
            SELECT e.target_id FROM governance_erasureitem i
            JOIN governance_edit e ON e.tenant_id = p_tenant AND e.id = i.record_id
            WHERE i.tenant_id = p_tenant AND i.erasure_id = p_erasure AND i.kind = 'edit' AND NOT EXISTS (
                SELECT 1 FROM governance_erasureitem own
                WHERE own.tenant_id = p_tenant AND own.erasure_id = p_erasure AND own.record_id = e.target_id)
        )
        SELECT k.event_id, CASE WHEN k.event_id IS NULL THEN k.id END AS chunk_id
        FROM memory_chunk k JOIN amended a ON a.target_id = k.id WHERE k.tenant_id = p_tenant
        UNION
        SELECT d.event_id, NULL FROM memory_decision d JOIN amended a ON a.target_id = d.id WHERE d.tenant_id = p_tenant
        ORDER BY 1, 2
    LOOP
        PERFORM refold_locked_memory(p_tenant, memory.event_id, memory.chunk_id);
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.erasure_scope(p_tenant uuid, p_by text, p_target uuid, p_subject_type text, p_subject_id text)
 RETURNS TABLE(kind text, record_id uuid, content_id uuid, sha256 bytea, retention text, target_type text, target_id uuid)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE recorded text;
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT string_agg(format('SELECT * FROM %I($1, $2, $3, $4, $5)', f), ' UNION ALL ') INTO recorded
    FROM functions_beginning('erasable_of_') f;
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
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.evaluate_promotions(p_tenant uuid, p_now timestamp with time zone, p_limit integer)
 RETURNS TABLE(chunk_id uuid, tier text, moved_to text, failed text, evidence jsonb)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
    me acting_context := acting(p_tenant);
    due uuid[];
    held uuid[];
    evaluated uuid[];
    tiers text[];
    wanted text[];
    failures text[];
    proof jsonb[];
    below uuid[];
    moved uuid[];
BEGIN
    PERFORM require_job(p_tenant);
    due := ARRAY(
        SELECT d.id FROM memory_promotiondue d WHERE d.tenant_id = p_tenant AND d.due_at <= p_now
        ORDER BY d.due_at LIMIT p_limit FOR UPDATE SKIP LOCKED);
    -- without waiting: edits lock chunks in another order
    held := ARRAY(
        SELECT x.id FROM unnest(due) i (id) CROSS JOIN LATERAL (
            SELECT y.id FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = i.id
            LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) x);
    WITH judged AS MATERIALIZED (
        SELECT * FROM judge_promotions(p_tenant, held, p_now)
    ), moves AS (
        INSERT INTO memory_promotion (tenant_id, id, chunk_id, number, kind, from_tier, to_tier, reason, evidence,
            promoter_kind, promoted_by, promoter, at)
        SELECT p_tenant, new_id(), j.chunk_id, j.number, 'automatic', j.tier, j.wanted_tier, CASE j.tier
            WHEN 'task' THEN 'Used often enough in one session.'
            WHEN 'session' THEN 'Used in enough sessions, with success, and relied on for long enough.'
            ELSE 'Not used for long enough.' END, j.evidence, 'system', me.id, me.name, p_now
        FROM judged j WHERE j.failed IS NULL
    ), checks AS (
        INSERT INTO memory_promotioncheck (tenant_id, id, tier, wanted_tier, failed, evidence, at)
        SELECT p_tenant, j.chunk_id, j.tier, j.wanted_tier, j.failed, j.evidence, p_now
        FROM judged j WHERE j.failed IS NOT NULL ORDER BY j.chunk_id
        ON CONFLICT (tenant_id, id) DO UPDATE SET tier = excluded.tier, wanted_tier = excluded.wanted_tier,
            failed = excluded.failed, evidence = excluded.evidence, at = excluded.at
    ), later AS (
        UPDATE memory_promotiondue d SET due_at = coalesce(j.due_at, p_now) FROM judged j
        WHERE d.tenant_id = p_tenant AND d.id = j.chunk_id
          AND (j.failed IS NULL AND j.wanted_tier <> 'archive' OR j.due_at IS NOT NULL)
    ), done AS (
        DELETE FROM memory_promotiondue d USING judged j
        WHERE d.tenant_id = p_tenant AND d.id = j.chunk_id
          AND (j.failed IS NOT NULL OR j.wanted_tier = 'archive') AND j.due_at IS NULL
    )
    SELECT array_agg(j.chunk_id ORDER BY j.chunk_id), array_agg(j.tier ORDER BY j.chunk_id),
        array_agg(j.wanted_tier ORDER BY j.chunk_id), array_agg(j.failed ORDER BY j.chunk_id),
        array_agg(j.evidence ORDER BY j.chunk_id), array_agg(j.chunk_id) FILTER (WHERE j.is_derived_from)
    INTO evaluated, tiers, wanted, failures, proof, below FROM judged j;
    IF cardinality(held) < cardinality(due) THEN  -- some are locked, or the projection has lost them
        DELETE FROM memory_promotiondue d WHERE d.tenant_id = p_tenant AND d.id = ANY (due) AND NOT EXISTS (
            SELECT FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.id = d.id);
    END IF;
    -- the trust of a consolidation changes with that of its originals
    IF below IS NOT NULL THEN
        PERFORM queue_promotions(p_tenant, consolidations_above(p_tenant, below));
    END IF;
    moved := ARRAY(
        SELECT e.id FROM unnest(evaluated, failures) e (id, failed) WHERE e.failed IS NULL ORDER BY e.id);
    IF moved <> '{}' THEN
        PERFORM set_tier(p_tenant, moved, ARRAY(
            SELECT e.wanted FROM unnest(evaluated, wanted, failures) e (id, wanted, failed)
            WHERE e.failed IS NULL ORDER BY e.id));
        FOR i IN 0 .. (cardinality(moved) - 1) / 200 LOOP
            PERFORM owe_entry(p_tenant, 'promotion', VARIADIC (moved::text[])[i * 200 + 1 : i * 200 + 200]);
        END LOOP;
    END IF;
    RETURN QUERY
    SELECT e.id, e.tier, CASE WHEN e.failed IS NULL THEN e.wanted END, e.failed,
        CASE WHEN e.failed IS NULL THEN e.proof END
    FROM unnest(evaluated, tiers, wanted, failures, proof) e (id, tier, wanted, failed, proof) ORDER BY e.id;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.event_of(p_tenant uuid, p_id uuid)
 RETURNS SETOF memory_event
 LANGUAGE sql
 STABLE
AS $function$
    SELECT e.* FROM memory_event e WHERE e.tenant_id = p_tenant AND e.id = p_id LIMIT 1
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.evidence_matches(p_tenant uuid, p_session_id text, p_query text, p_subject_type text, p_subject_id text, p_project_id text, p_listened search_filter, m search_meaning, p_collapse boolean, p_limit integer)
 RETURNS TABLE(chunk_id uuid, rank real, place bigint)
 LANGUAGE plpgsql
 STABLE ROWS 100
AS $function$
DECLARE
    v_tenant uuid := p_tenant;
    q search_question := parse_question(search_language(p_tenant), p_query);
    f search_filter := p_listened;
    list text;
    start search_place;
    ids uuid[] := '{}';
    ranks real[] := '{}';
    found_ids uuid[];
    found_ranks real[];
    found_scale float8;
BEGIN
    FOREACH list IN ARRAY CASE WHEN num_nonnulls(p_subject_id, p_project_id) = 0 THEN '{session,policy,global,here}'::text[]
        ELSE '{subject,project}' END
    LOOP
        CONTINUE WHEN list = 'subject' AND p_subject_id IS NULL OR list = 'project' AND p_project_id IS NULL;
        f.scope := CASE WHEN list IN ('session', 'policy', 'global') THEN list END;
        f.session_id := CASE WHEN list = 'here' THEN p_session_id END;
        f.subject_type := CASE WHEN list = 'subject' THEN p_subject_type END;
        f.subject_id := CASE WHEN list = 'subject' THEN p_subject_id END;
        f.project_id := CASE WHEN list = 'project' THEN p_project_id END;
        SELECT array_agg(r.chunk_id), array_agg(r.rank), max(r.scale) INTO found_ids, found_ranks, found_scale
        FROM ranked_chunks(v_tenant, q, f, m, p_collapse, p_limit, start) r
        CROSS JOIN LATERAL (
            SELECT y.subject_type, y.subject_id, y.project_id FROM memory_effectivechunk y
            WHERE y.tenant_id = v_tenant AND y.id = r.chunk_id LIMIT 1) x
        WHERE CASE list WHEN 'subject' THEN true WHEN 'here' THEN true
            WHEN 'project' THEN p_subject_id IS NULL OR x.subject_id IS NULL
                OR (x.subject_type, x.subject_id) = (p_subject_type, p_subject_id)
            ELSE num_nonnulls(x.subject_id, x.project_id) = 0 END;
        ids := ids || found_ids;
        ranks := ranks || found_ranks;
        start.scale := coalesce(start.scale, found_scale);
    END LOOP;
    RETURN QUERY
    SELECT b.id, b.rank, row_number() OVER (ORDER BY b.rank DESC, b.id DESC)
    FROM (SELECT u.id, max(u.rank) AS rank FROM unnest(ids, ranks) u (id, rank) GROUP BY u.id) b
    ORDER BY 3 LIMIT p_limit;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.expected_capsules(p_tenant uuid)
 RETURNS SETOF capsules_effectivecapsule
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    RETURN QUERY
    WITH from_ledger AS (
        SELECT (e.metadata ->> 'capsule')::uuid AS capsule_id,
            max((e.metadata ->> 'revoked_at')::timestamptz) FILTER (WHERE e.type = 'capsule.revoked') AS revoked_at,
            max(e.ts) FILTER (WHERE e.type = 'capsule.expired') AS expired_at,
            max(e.ts) FILTER (WHERE e.type = 'capsule.expiring') AS warned_at
        FROM governance_entry e
        WHERE e.tenant_id = p_tenant AND e.type IN ('capsule.revoked', 'capsule.expired', 'capsule.expiring')
        GROUP BY 1
    )
    SELECT (jsonb_populate_record(NULL::capsules_effectivecapsule, to_jsonb(c) || jsonb_build_object(
        'item_count', (SELECT count(*) FROM capsules_capsuleitem i WHERE i.tenant_id = p_tenant AND i.capsule_id = c.id),
        'audience_count',
            (SELECT count(*) FROM capsules_capsuleaudience a WHERE a.tenant_id = p_tenant AND a.capsule_id = c.id),
        'status', CASE WHEN t.revoked_at IS NOT NULL THEN 'revoked' WHEN t.expired_at IS NOT NULL THEN 'expired'
            ELSE 'active' END,
        'revoked_at', t.revoked_at, 'warned_at', t.warned_at,
        'expired_at', CASE WHEN t.revoked_at IS NULL THEN t.expired_at END,
        'note_id', f.note_id, 'risks_id', f.risks_id, 'importance', f.importance, 'is_retracted', f.is_retracted,
        'is_quarantined', f.is_quarantined, 'blocked_channels', f.blocked_channels,
        'edits_applied', f.edits_applied))).*
    FROM capsules_capsule c
    CROSS JOIN LATERAL fold_capsule(p_tenant, c.id) f
    LEFT JOIN from_ledger t ON t.capsule_id = c.id
    WHERE c.tenant_id = p_tenant;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.expire_capsules(p_tenant uuid, p_limit integer)
 RETURNS TABLE(capsule_id uuid, expires_at timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_job(p_tenant);
    RETURN QUERY
    UPDATE capsules_effectivecapsule x SET status = 'expired', expired_at = statement_timestamp()
    WHERE x.tenant_id = p_tenant AND x.id = ANY (ARRAY(
        SELECT y.id FROM capsules_effectivecapsule y
        WHERE y.tenant_id = p_tenant AND y.status = 'active' AND y.expires_at <= statement_timestamp()
        ORDER BY y.expires_at LIMIT p_limit FOR UPDATE SKIP LOCKED))
    RETURNING x.id, x.expires_at;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.expire_edit(p_tenant uuid, p_edit uuid, p_reason text)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_job(p_tenant);
    RETURN end_edit(p_tenant, p_edit, NULL, NULL, p_reason);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.expire_memories(p_tenant uuid, p_limit integer)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE due uuid[];
BEGIN
    PERFORM require_job(p_tenant);
    due := ARRAY(
        SELECT x.id FROM memory_effectivechunk x
        WHERE x.tenant_id = p_tenant AND x.expires_at <= statement_timestamp() AND x.expires_at IS NOT NULL
          AND NOT x.is_expired
        ORDER BY x.expires_at LIMIT p_limit FOR UPDATE SKIP LOCKED);
    IF due = '{}' THEN RETURN; END IF;
    UPDATE memory_effectivechunk x SET is_expired = true, text = NULL, tsv = NULL, lex = NULL
    WHERE x.tenant_id = p_tenant AND x.id = ANY (due);
    PERFORM void_derived(p_tenant, due);
    PERFORM owe_entry(p_tenant, 'memory.expired', VARIADIC ARRAY(SELECT i::text FROM unnest(due) i));
    RETURN QUERY SELECT unnest(due);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.fifth_and_later_score(p_tsv tsvector, w term_weights)
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT sum(t.idf * term_frequency(p_tsv, t.query)) FROM unnest((w).queries[5:], (w).idfs[5:]) t (query, idf)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.file_neighbours(p_tenant uuid, p_chunks uuid[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
    RETURN p_chunks || ARRAY(
        SELECT DISTINCT n.chunk_id FROM unnest(p_chunks) i (id)
        CROSS JOIN LATERAL (
            SELECT y.version_id, y.chunk_index FROM memory_fileplacement y
            WHERE y.tenant_id = p_tenant AND y.chunk_id = i.id OFFSET 0) p
        CROSS JOIN LATERAL (
            SELECT y.chunk_id FROM memory_fileplacement y
            WHERE y.tenant_id = p_tenant AND y.version_id = p.version_id
              AND y.chunk_index IN (p.chunk_index - 1, p.chunk_index + 1) OFFSET 0) n
        WHERE n.chunk_id <> ALL (p_chunks));
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.filter_query(p_tenant uuid, p_channels text[], p_scope text, p_subject_type text, p_subject_id text, p_project_id text, p_session_id text)
 RETURNS tsquery
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    q tsquery := '';
    filter text;
BEGIN
    FOREACH filter IN ARRAY array_remove(ARRAY[
        CASE WHEN num_nonnulls(p_subject_id, p_project_id, p_session_id) = 0 THEN ' scope ' || p_scope END,
        CASE WHEN num_nonnulls(p_subject_id, p_project_id, p_session_id) = 0
             THEN ' subject_type ' || p_subject_type END,
        ' subject_id ' || p_subject_id, ' project_id ' || p_project_id, ' session_id ' || p_session_id], NULL)
    LOOP
        q := q && term_query(p_tenant, filter);
    END LOOP;
    IF cardinality(p_channels) < 4 THEN
        q := q && term_query(p_tenant, VARIADIC ARRAY(SELECT ' channel ' || c FROM unnest(p_channels) c));
    END IF;
    RETURN q;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.find_items(p_tenant uuid, p_items json, p_listening text[], p_sensitivities text[])
 RETURNS TABLE(place text, sensitivity text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    RETURN QUERY
    SELECT i.place, CASE i.kind
        WHEN 'chunk' THEN (
            SELECT x.sensitivity FROM memory_effectivechunk x
            WHERE x.tenant_id = p_tenant AND x.id = i.id AND is_seen(x, p_listening, p_sensitivities, false))
        WHEN 'decision' THEN (
            SELECT d.sensitivity FROM memory_effectivedecision d
            WHERE d.tenant_id = p_tenant AND d.id = i.id
              AND why_decision_hidden(d, p_listening, p_sensitivities, false) IS NULL)
        WHEN 'artifact' THEN (
            -- an artifact has the state of the chunks of its event
            SELECT a.sensitivity FROM memory_artifact a
            WHERE a.tenant_id = p_tenant AND a.id = i.id AND (
                SELECT bool_and(is_seen(x, p_listening, p_sensitivities, false)) FROM effective_chunks_of(p_tenant, a.event_id) x
                WHERE x.superseded_by IS NULL)) END
    FROM json_to_recordset(p_items) AS i (place text, at int, kind text, id uuid)
    ORDER BY i.at;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.find_superseded(p_tenant uuid, p_agent uuid, p_query text, p_listening text[], p_limit integer)
 RETURNS TABLE(chunk_id uuid, score real)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
DECLARE
    v_tenant uuid := p_tenant;
    heard text[] := sensitivities_heard(p_tenant, p_listening);
    q search_question := parse_question(search_language(p_tenant), p_query);
BEGIN
    PERFORM require_own_chain(p_tenant, p_agent);
    IF numnode(q.matching) = 0 THEN RETURN; END IF;
    RETURN QUERY
    WITH found AS MATERIALIZED (
        SELECT x.id, ts_rank_cd(x.tsv, q.matching, 4) AS rank
        FROM memory_supersession s
        CROSS JOIN LATERAL (
            SELECT y.* FROM memory_effectivechunk y WHERE y.tenant_id = v_tenant AND y.id = s.superseded_id
              AND y.is_superseded AND is_seen_in_chain(y, p_listening, heard, false, true) LIMIT 1) x
        WHERE s.tenant_id = v_tenant AND s.agent_id = p_agent AND x.tsv @@ q.matching
        GROUP BY x.id, x.tsv
    )
    SELECT f.id, (f.rank / nullif(max(f.rank) OVER (), 0))::real FROM found f ORDER BY f.rank DESC, f.id DESC LIMIT p_limit;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.finish_embeddings(p_tenant uuid, p_model text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE m memory_embeddingmodel;
BEGIN
    PERFORM require_job(p_tenant);
    SELECT * INTO m FROM memory_embeddingmodel x WHERE x.tenant_id = p_tenant AND x.model = p_model FOR UPDATE SKIP LOCKED;
    IF NOT FOUND OR m.filled_at IS NULL THEN RETURN false; END IF;
    IF NOT m.is_complete AND EXISTS (
        SELECT FROM memory_embeddingitem i WHERE i.tenant_id = p_tenant AND i.state = 'waiting'
          AND (i.due_at <= m.filled_at OR i.tries > 0))
    THEN
        RETURN false;
    END IF;
    IF EXISTS (SELECT FROM memory_embeddingmodel x WHERE x.tenant_id = p_tenant AND x.model <> p_model) THEN
        DELETE FROM memory_embedding e WHERE e.tenant_id = p_tenant AND e.space = 'E1' AND e.model <> p_model;
        DELETE FROM memory_embeddingmodel x WHERE x.tenant_id = p_tenant AND x.model <> p_model;
    END IF;
    UPDATE memory_embeddingmodel x SET is_complete = true, row_count = CASE WHEN x.row_count > 100000 THEN x.row_count ELSE (
        SELECT count(*) FROM memory_embedding e
        WHERE e.tenant_id = p_tenant AND e.space = 'E1' AND e.model = p_model) END
    WHERE x.tenant_id = p_tenant AND x.id = m.id;
    RETURN true;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.finish_file_version(p_tenant uuid, p_version json, OUT number integer, OUT added integer, OUT kept integer, OUT superseded integer)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    me acting_context := acting_writer(p_tenant);
    m record;
    last memory_fileversion;
    mine uuid[];
    before uuid[];
    come uuid[];
    gone uuid[];
    corrected uuid[];
BEGIN
    SELECT * INTO m FROM json_to_record(p_version) AS j (
        id uuid, session_id text, file_path text, file_hash text, total_chunks int, ts timestamptz);
    PERFORM lock_file(p_tenant, me.id, m.session_id, m.file_path);
    SELECT * INTO last FROM latest_of_file(p_tenant, me.id, m.session_id, m.file_path);
    mine := ARRAY(SELECT p.chunk_id FROM memory_fileplacement p
        WHERE p.tenant_id = p_tenant AND p.version_id = m.id ORDER BY p.chunk_index);
    IF last.id = m.id THEN
        number := last.number; added := 0; kept := cardinality(mine); superseded := 0;
        RETURN;
    END IF;
    IF EXISTS (SELECT FROM memory_fileversion v WHERE v.tenant_id = p_tenant AND v.id = m.id) THEN
        RAISE EXCEPTION 'a later version of the file is current' USING ERRCODE = 'SU409', CONSTRAINT = 'file_version_open';
    END IF;
    IF cardinality(mine) <> m.total_chunks THEN
        RAISE EXCEPTION 'parts of this version are missing: % of % chunks are there', cardinality(mine), m.total_chunks
            USING ERRCODE = 'SU409', CONSTRAINT = 'file_version_whole';
    END IF;
    -- 1. What was there: of a file whose chunks were deleted, what it had last.
    before := ARRAY(SELECT p.chunk_id FROM memory_fileplacement p
        WHERE p.tenant_id = p_tenant AND p.version_id = (
            SELECT v.placed_by FROM memory_fileversion v
            WHERE v.tenant_id = p_tenant AND v.recorded_by = me.id AND v.session_id = m.session_id
              AND v.file_path = m.file_path AND v.placed_by IS NOT NULL
            ORDER BY v.number DESC LIMIT 1));
    come := ARRAY(SELECT unnest(mine) EXCEPT SELECT unnest(before));
    gone := ARRAY(SELECT unnest(before) EXCEPT SELECT unnest(mine));
    INSERT INTO memory_fileversion (tenant_id, id, session_id, file_path, number, change, file_hash, total_chunks,
        placed_by, recorder_kind, recorded_by, recorder, ts)
    VALUES (p_tenant, m.id, m.session_id, m.file_path, coalesce(last.number, 0) + 1, 'content', m.file_hash,
        m.total_chunks, m.id, me.kind, me.id, me.name, m.ts);
    PERFORM place_chunks(p_tenant, mine, gone);
    -- 2. Corrections outlive the file's change.
    corrected := ARRAY(SELECT x.id FROM memory_effectivechunk x
        WHERE x.tenant_id = p_tenant AND x.id = ANY (gone) AND x.edits_applied > 0
          AND (is_edited_away(x) OR x.content_id <> (SELECT k.content_id FROM chunk_of(p_tenant, x.id) k)));
    PERFORM hold_reworded(p_tenant, m.file_path, corrected, come);
    number := coalesce(last.number, 0) + 1;
    added := cardinality(come);
    kept := cardinality(mine) - added;
    superseded := cardinality(gone);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.finish_operation(p_tenant uuid, p_checkpoint uuid, p_operation text, p_note text)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    me acting_context := acting(p_tenant);
    c memory_checkpoint := checkpoint_to_use(p_tenant, p_checkpoint, 'continue');
BEGIN
    INSERT INTO memory_operationdone (tenant_id, id, checkpoint_id, operation_id, note, agent_id, agent, done_at)
    VALUES (p_tenant, new_id(), c.id, p_operation, p_note, me.id, me.name, clock_timestamp())
    ON CONFLICT (tenant_id, checkpoint_id, operation_id) DO NOTHING;
    RETURN (SELECT o.done_at FROM memory_operationdone o
            WHERE o.tenant_id = p_tenant AND o.checkpoint_id = c.id AND o.operation_id = p_operation);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.first_tier()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$ SELECT 'task' $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.fold_capsule(p_tenant uuid, p_capsule uuid, p_also applied_edit DEFAULT NULL::applied_edit, OUT is_retracted boolean, OUT is_quarantined boolean, OUT blocked_channels text[], OUT note_id uuid, OUT risks_id uuid, OUT importance numeric, OUT edits_applied integer)
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    c capsules_capsule;
    f record;
    e record;
    origins uuid[] := ARRAY(SELECT capsule_origins(p_tenant, p_capsule));
    cancelled uuid[];
    words json;
BEGIN
    SELECT * INTO STRICT c FROM capsules_capsule x WHERE x.tenant_id = p_tenant AND x.id = p_capsule;
    SELECT * INTO f FROM fold_edits(p_tenant, c.id, origins, 0.5, NULL, p_also);
    is_retracted := f.is_retracted; is_quarantined := f.is_quarantined; blocked_channels := f.blocked_channels;
    importance := f.importance; edits_applied := f.edits_applied;
    note_id := c.note_id; risks_id := c.risks_id;
    IF f.content_id IS NULL THEN RETURN; END IF;  -- no amend of words
    cancelled := cancelled_edits(p_tenant, c.id || origins, NULL, p_also);
    FOR e IN
        SELECT x.content_id, coalesce(x.body, (
            SELECT w.body FROM governance_content w WHERE w.tenant_id = p_tenant AND w.id = x.content_id)) AS body
        FROM applied_edits(p_tenant, c.id || origins, NULL, p_also) x
        WHERE x.op = 'amend' AND x.content_id IS NOT NULL AND NOT x.id = ANY (cancelled)
        ORDER BY x.applied_at, x.id
    LOOP
        words := capsule_amend(e.body);
        -- an erased amend (no body) may have replaced either, so it withholds both
        IF e.body IS NULL OR words -> 'text' IS NOT NULL THEN note_id := e.content_id; END IF;
        IF e.body IS NULL OR words -> 'risks' IS NOT NULL THEN risks_id := e.content_id; END IF;
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.fold_decision(p_tenant uuid, p_decision uuid, p_also applied_edit DEFAULT NULL::applied_edit, OUT is_retracted boolean, OUT is_quarantined boolean, OUT blocked_channels text[], OUT content_id uuid, OUT details_id uuid, OUT importance numeric, OUT edits_applied integer, OUT status text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    d memory_decision;
    f record;
BEGIN
    SELECT * INTO STRICT d FROM memory_decision x WHERE x.tenant_id = p_tenant AND x.id = p_decision;
    SELECT * INTO f FROM fold_edits(p_tenant, d.id, (
        SELECT coalesce(array_agg(c.id), '{}') FROM memory_chunk c
        WHERE c.tenant_id = p_tenant AND c.event_id = d.event_id), 1, NULL, p_also);
    is_quarantined := f.is_quarantined; blocked_channels := f.blocked_channels;
    importance := f.importance; edits_applied := f.edits_applied;
    content_id := coalesce(f.content_id, d.content_id);
    is_retracted := f.is_retracted OR NOT has_words(p_tenant, d.content_id, content_id, p_also);
    -- rationale and alternatives may repeat what was corrected
    details_id := CASE WHEN f.content_id IS NULL THEN d.details_id END;
    status := 'active';
    IF EXISTS (
        SELECT 1 FROM memory_decision later CROSS JOIN LATERAL (
            SELECT y.is_quarantined, y.is_retracted, y.content_id FROM memory_effectivedecision y
            WHERE y.tenant_id = p_tenant AND y.id = later.id LIMIT 1) x
        WHERE later.tenant_id = p_tenant AND later.supersedes_id = p_decision AND NOT x.is_quarantined
          -- an erased successor still counts: the decision that it superseded stays out of force
          AND (NOT x.is_retracted OR NOT has_words(p_tenant, later.content_id, x.content_id) AND NOT (
              SELECT g.is_retracted FROM fold_edits(p_tenant, later.id, (
                  SELECT coalesce(array_agg(c.id), '{}') FROM memory_chunk c
                  WHERE c.tenant_id = p_tenant AND c.event_id = later.event_id), 1, NULL, p_also) g))
    ) THEN status := 'superseded'; END IF;
END $function$

-- owner suture_gate; EXECUTE to suture_gate, EXECUTE to suture_owner
CREATE OR REPLACE FUNCTION public.fold_edits(p_tenant uuid, p_target uuid, p_twins uuid[], p_importance numeric, p_until timestamp with time zone DEFAULT NULL::timestamp with time zone, p_also applied_edit DEFAULT NULL::applied_edit, OUT is_retracted boolean, OUT is_quarantined boolean, OUT blocked_channels text[], OUT content_id uuid, OUT importance numeric, OUT edits_applied integer)
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    e record;
    cancelled uuid[] := cancelled_edits(p_tenant, p_target || p_twins, p_until, p_also);
BEGIN
    is_retracted := false; is_quarantined := false; blocked_channels := '{}'; importance := p_importance;
    edits_applied := 0;
    FOR e IN
        SELECT * FROM applied_edits(p_tenant, p_target || p_twins, p_until, p_also) x
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
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.fold_memory(p_tenant uuid, p_event uuid, p_chunk uuid, p_also applied_edit DEFAULT NULL::applied_edit)
 RETURNS TABLE(chunk_id uuid, is_retracted boolean, is_quarantined boolean, blocked_channels text[], content_id uuid, span_start integer, span_end integer, importance numeric, superseded_by uuid, edits_applied integer, is_superseded boolean)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER ROWS 2
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    k memory_chunk;
    f record;
    twins uuid[];
    said uuid[] := '{}';    -- the edits whose amended texts are placed already
    said_by uuid[] := '{}';
    previous_end int;       -- where the edited chunk before this one ended in the original text
    next_start int;
    next_edited boolean;
BEGIN
    SELECT coalesce(array_agg(d.id), '{}') INTO twins FROM memory_decision d
    WHERE d.tenant_id = p_tenant AND d.event_id = p_event;
    FOR k IN
        SELECT * FROM memory_chunk c WHERE c.tenant_id = p_tenant AND c.event_id = p_event
        UNION ALL
        SELECT * FROM memory_chunk c WHERE p_event IS NULL AND c.tenant_id = p_tenant AND c.id = p_chunk
        ORDER BY chunk_index
    LOOP
        SELECT * INTO f FROM fold_edits(p_tenant, k.id, twins, k.importance, NULL, p_also);
        chunk_id := k.id; is_quarantined := f.is_quarantined; blocked_channels := f.blocked_channels;
        importance := f.importance; edits_applied := f.edits_applied; superseded_by := NULL;
        IF f.content_id IS NOT NULL THEN
            content_id := f.content_id; span_start := NULL; span_end := NULL;
            -- the text of an amended decision goes to one chunk of its memory, not to all
            superseded_by := said_by[array_position(said, f.content_id)];
            said := said || f.content_id;
            said_by := said_by || k.id;
        ELSE
            content_id := k.content_id; span_start := k.span_start; span_end := k.span_end;
            IF (k.total_chunks > 1 OR k.source = 'file') AND NOT (f.is_retracted OR f.is_quarantined OR f.blocked_channels <> '{}') THEN
                span_start := greatest(k.span_start, previous_end);
                SELECT c.span_start, g.is_retracted OR g.is_quarantined OR g.blocked_channels <> '{}'
                       OR g.content_id IS NOT NULL
                INTO next_start, next_edited
                FROM memory_chunk c, fold_edits(p_tenant, c.id, twins, c.importance, NULL, p_also) g
                WHERE c.tenant_id = p_tenant AND c.event_id = p_event AND c.chunk_index = k.chunk_index + 1;
                IF next_edited THEN span_end := least(k.span_end, next_start); END IF;
                next_edited := false;
                IF k.source = 'file' THEN
                    SELECT u.span_start, u.span_end INTO span_start, span_end FROM unshared_span(p_tenant, k, p_also) u;
                END IF;
                IF span_start >= span_end THEN  -- it has no words apart from the shared ones
                    superseded_by := k.id; span_start := k.span_start; span_end := k.span_end;
                END IF;
            END IF;
        END IF;
        is_superseded := false;
        IF superseded_by IS NULL THEN
            superseded_by := coalesce(successor_of(p_tenant, k.id), capture_successor_of(p_tenant, k));
            is_superseded := superseded_by IS NOT NULL;
        END IF;
        is_retracted := f.is_retracted OR NOT has_words(p_tenant, k.content_id, content_id, p_also);
        previous_end := CASE
            WHEN f.is_retracted OR f.is_quarantined OR f.blocked_channels <> '{}' OR f.content_id IS NOT NULL
            THEN k.span_end END;
        RETURN NEXT;
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.fold_task(p_tenant uuid, p_task uuid, OUT update_id uuid, OUT event_id uuid, OUT content_id uuid, OUT details_id uuid, OUT status text, OUT ts timestamp with time zone, OUT is_retracted boolean, OUT is_quarantined boolean, OUT blocked_channels text[], OUT edits_applied integer)
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    u memory_task;
    f record;
    standing int;
    best int := 0;
BEGIN
    FOR u IN
        SELECT * FROM memory_task x WHERE x.tenant_id = p_tenant AND x.task_id = p_task ORDER BY x.ts DESC, x.id DESC
    LOOP
        SELECT * INTO f FROM fold_edits(p_tenant, u.id, (
            SELECT coalesce(array_agg(c.id), '{}') FROM memory_chunk c
            WHERE c.tenant_id = p_tenant AND c.event_id = u.event_id), 1, NULL);
        standing := CASE WHEN f.is_retracted THEN 1 WHEN f.is_quarantined THEN 2 ELSE 3 END;
        IF standing > best THEN
            best := standing;
            update_id := u.id; event_id := u.event_id; status := u.status; ts := u.ts;
            content_id := coalesce(f.content_id, u.content_id);
            details_id := CASE WHEN f.content_id IS NULL THEN u.details_id END;
            is_retracted := f.is_retracted OR NOT has_words(p_tenant, u.content_id, content_id);
            is_quarantined := f.is_quarantined;
            blocked_channels := f.blocked_channels; edits_applied := f.edits_applied;
        END IF;
        EXIT WHEN best = 3;
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.follow_edit_of_chunk(p_tenant uuid, p_edit uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    target uuid;
    hidden uuid[];
BEGIN
    SELECT e.target_id INTO target FROM governance_edit e
    WHERE e.tenant_id = p_tenant AND e.id = p_edit AND (e.op IN ('retract', 'quarantine', 'block')
        OR e.op = 'revert' AND EXISTS (
            SELECT FROM governance_edit r WHERE r.tenant_id = p_tenant AND r.id = e.reverts_id AND r.op = 'revert'));
    IF NOT FOUND THEN RETURN; END IF;
    hidden := ARRAY(SELECT x.id FROM memory_effectivechunk x
        WHERE x.tenant_id = p_tenant AND x.id = target AND x.seq IS NOT NULL
          AND is_edited_away(x));
    PERFORM hold_consolidations(p_tenant, hidden);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.forget_terms(p_tenant uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_tenant(p_tenant);
    INSERT INTO memory_termcount (tenant_id, id, chunks, erasures) VALUES (p_tenant, gen_random_uuid(), 0, 1)
    ON CONFLICT (tenant_id) DO UPDATE
    SET chunks = 0, newest = NULL, counted_at = NULL, erasures = memory_termcount.erasures + 1;
    DELETE FROM memory_term t WHERE t.tenant_id = p_tenant;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.forward_capsule(p_tenant uuid, p_original uuid, p_id uuid, p_items json, p_audience json, p_ttl_days integer, p_may_forward boolean)
 RETURNS TABLE(refusal text, place text, fault text, created_at timestamp with time zone, expires_at timestamp with time zone, item_count integer, audience_count integer)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    me acting_context := acting(p_tenant);
    c capsules_capsule;
    audience uuid[];
    chosen json := p_items;
BEGIN
    -- 1. Lock the capsule: a revocation either waits and then finds the new capsule, or came first and is seen here.
    PERFORM 1 FROM capsules_effectivecapsule x WHERE x.tenant_id = p_tenant AND x.id = p_original FOR SHARE;
    SELECT * INTO c FROM capsules_capsule x WHERE x.tenant_id = p_tenant AND x.id = p_original;
    refusal := capsule_refusal(p_tenant, p_original, 'agent', me.id);
    IF refusal IS NULL AND NOT EXISTS (
        SELECT 1 FROM capsules_capsuleaudience a
        WHERE a.tenant_id = p_tenant AND a.agent_id = me.id AND a.capsule_id = p_original
    ) THEN refusal := 'outside'; END IF;  -- the author creates another capsule instead
    IF refusal IS NULL THEN
        -- capsule_refusal lets an author in its own audience read an ended capsule
        SELECT CASE WHEN x.status <> 'active' THEN x.status WHEN x.expires_at <= statement_timestamp() THEN 'expired'
            WHEN NOT x.may_forward THEN 'not_forwardable' END
        INTO refusal FROM capsules_effectivecapsule x WHERE x.tenant_id = p_tenant AND x.id = p_original;
    END IF;
    IF refusal IS NOT NULL THEN RETURN NEXT; RETURN; END IF;
    -- 2. Report all faults at once.
    RETURN QUERY
    SELECT NULL, n.place, 'not_among_them', NULL::timestamptz, NULL::timestamptz, NULL::int, NULL::int
    FROM json_to_recordset(p_items) AS n (place text, kind text, id uuid)
    WHERE NOT EXISTS (
        SELECT 1 FROM capsules_capsuleitem i WHERE i.tenant_id = p_tenant AND i.capsule_id = p_original
          AND i.item_id = n.id AND i.kind = n.kind)
    UNION ALL
    SELECT NULL, a.place, coalesce(a.fault, 'yourself'), NULL, NULL, NULL, NULL
    FROM resolve_audience(p_tenant, p_audience) a WHERE a.fault IS NOT NULL OR a.agent_id = me.id;
    IF FOUND THEN RETURN; END IF;
    -- 3. Write the record.
    IF p_items IS NULL THEN
        SELECT json_agg(json_build_object('at', i.position, 'kind', i.kind, 'id', i.item_id)) INTO chosen
        FROM capsules_capsuleitem i WHERE i.tenant_id = p_tenant AND i.capsule_id = p_original;
    END IF;
    SELECT array_agg(a.agent_id) INTO audience FROM resolve_audience(p_tenant, p_audience) a;
    c.id := p_id; c.forwards_id := p_original; c.author_kind := 'agent'; c.authored_by := me.id;
    c.author := me.name; c.created_at := statement_timestamp();
    c.may_forward := p_may_forward; c.ttl_days := coalesce(p_ttl_days, c.ttl_days);
    c.expires_at := least(c.expires_at, c.created_at + make_interval(hours => 24 * c.ttl_days));
    PERFORM insert_capsule(c, chosen, audience);
    PERFORM refold_one_capsule(p_tenant, p_id);
    created_at := c.created_at; expires_at := c.expires_at; item_count := json_array_length(chosen);
    audience_count := cardinality(audience);
    RETURN NEXT;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.found_tenant(p_tenant uuid, p_slug text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM acting_manager(p_tenant);
    INSERT INTO governance_tenant (id, slug, policy, pending_edit_days, default_sensitivities, search_language,
        hybrid_alpha, created_at)
    VALUES (p_tenant, p_slug, 'standard', 30, '{}', 'english', 0.5, clock_timestamp());
    PERFORM owe_entry(p_tenant, 'tenant.created', p_slug);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.functions_beginning(p_prefix text)
 RETURNS SETOF name
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
    SELECT p.proname FROM pg_proc p
    WHERE p.proname >= p_prefix::name AND p.proname < (p_prefix || '~')::name
      AND p.pronamespace = 'public'::regnamespace AND p.proowner = 'suture_gate'::regrole
    ORDER BY 1
$function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.get_active_decisions(p_tenant uuid, p_scope text, p_project_id text, p_subject_type text, p_subject_id text, p_session_id text, p_listening text[], p_include_quarantined boolean, p_limit integer)
 RETURNS TABLE(decision_id uuid, decision text, details text, importance numeric, ts timestamp with time zone, precedence integer, is_quarantined boolean, edits_applied integer, event_id uuid, scope text, subject_type text, subject_id text, project_id text, session_id text, channel text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    v_sensitivities text[] := labels_heard(p_tenant, p_listening, p_include_quarantined);
    v_tenant uuid := p_tenant;
    about record;
BEGIN
    SELECT * INTO about
    FROM associated_with(v_tenant, p_subject_type, p_subject_id, p_listening, v_sensitivities, p_include_quarantined);
    RETURN QUERY
    SELECT * FROM decisions_in_force(v_tenant, num_nonnulls(p_project_id, p_subject_id, p_session_id) = 0, p_scope,
        about.projects || p_project_id, p_subject_type, p_subject_id, about.sessions || p_session_id, p_listening,
        v_sensitivities, p_include_quarantined, p_limit);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.get_active_tasks(p_tenant uuid, p_session_id text, p_subject_type text, p_subject_id text, p_project_id text, p_listening text[], p_include_quarantined boolean, p_offset integer, p_limit integer, p_beyond integer)
 RETURNS TABLE(task_id uuid, withheld text, title text, details text, status text, ts timestamp with time zone, is_quarantined boolean, edits_applied integer, event_id uuid, scope text, subject_type text, subject_id text, project_id text, session_id text, channel text, actor_type text, actor_id text, recorder_kind text, recorder text, recorded_at timestamp with time zone, content_hash text, available integer)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    v_sensitivities text[] := labels_heard(p_tenant, p_listening, p_include_quarantined);
    v_tenant uuid := p_tenant;
    reach int := p_offset + p_limit + p_beyond;
    ids uuid[];
    hidden uuid[];
    met int;
BEGIN
    SELECT array_agg(t.task_id) FILTER (WHERE NOT t.is_hidden), array_agg(t.task_id) FILTER (WHERE t.is_hidden),
        count(*)
    INTO ids, hidden, met
    FROM active_task_ids(v_tenant, p_session_id, p_subject_type, p_subject_id, p_project_id, p_listening,
        v_sensitivities, p_include_quarantined, true, reach) t;
    IF met = reach AND hidden IS NOT NULL THEN
        -- hidden tasks used up the page: fetch visible ones only
        SELECT array_agg(t.task_id) INTO ids
        FROM active_task_ids(v_tenant, p_session_id, p_subject_type, p_subject_id, p_project_id, p_listening,
            v_sensitivities, p_include_quarantined, false, reach) t;
    END IF;
    RETURN QUERY
    SELECT x.id, w.why, CASE WHEN w.why IS NULL THEN c.body END, CASE WHEN w.why IS NULL THEN f.body END, x.status,
        x.ts, x.is_quarantined, x.edits_applied, x.event_id, x.scope, x.subject_type, x.subject_id, x.project_id,
        x.session_id, x.channel, e.actor_type, e.actor_id, e.recorder_kind, e.recorder, e.recorded_at,
        words_hash(c.sha256, f.sha256, NULL, NULL), coalesce(cardinality(ids), 0)
    FROM unnest(ids[p_offset + 1 : p_offset + p_limit] || hidden[: p_beyond]) WITH ORDINALITY AS n (id, place)
    JOIN memory_effectivetask x ON x.tenant_id = v_tenant AND x.id = n.id
    CROSS JOIN LATERAL content_of(v_tenant, x.content_id) c
    LEFT JOIN LATERAL content_of(v_tenant, x.details_id) f ON true
    LEFT JOIN LATERAL event_of(v_tenant, x.event_id) e ON true
    CROSS JOIN LATERAL (
        SELECT why_task_hidden(x, p_listening, v_sensitivities, p_include_quarantined) AS why) w
    WHERE x.id = ANY (ids || hidden)
    ORDER BY n.place;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.get_agent_memories(p_tenant uuid, p_agent uuid, p_seqs bigint[], p_listening text[], p_include_quarantined boolean)
 RETURNS SETOF agent_memory_row
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE heard text[] := labels_heard(p_tenant, p_listening, p_include_quarantined);
BEGIN
    PERFORM require_own_chain(p_tenant, p_agent);
    RETURN QUERY
    SELECT * FROM agent_memory_rows(p_tenant, ARRAY(
        SELECT m.id FROM unnest(p_seqs) s (seq) CROSS JOIN LATERAL (
            SELECT y.id FROM memory_agentmemory y
            WHERE y.tenant_id = p_tenant AND y.agent_id = p_agent AND y.seq = s.seq LIMIT 1) m),
        p_listening, heard, p_include_quarantined, true) r
    ORDER BY r.seq;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.get_authored_capsules(p_tenant uuid, p_subject_type text, p_subject_id text, p_scope text, p_project_id text, p_within interval, p_listening text[], p_before_id uuid, p_limit integer)
 RETURNS SETOF capsule_row
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
DECLARE
    v_sensitivities text[] := sensitivities_heard(p_tenant, p_listening);
    me acting_context := acting(p_tenant);
    v_tenant uuid := p_tenant;
    moment timestamptz := statement_timestamp();
    ids uuid[];
    r capsule_row;
    ended text;
BEGIN
    SELECT array_agg(n.id) INTO ids FROM (
        SELECT x.id FROM capsules_effectivecapsule x
        WHERE x.tenant_id = v_tenant AND x.authored_by = me.id AND x.author_kind = me.kind
          AND NOT x.is_retracted
          AND (p_subject_type IS NULL OR x.subject_type = p_subject_type)
          AND (p_subject_id IS NULL OR x.subject_id = p_subject_id) AND (p_scope IS NULL OR x.scope = p_scope)
          AND (p_project_id IS NULL OR x.project_id = p_project_id)
          AND (p_within IS NULL
               OR x.status = 'active' AND x.expires_at > moment AND x.expires_at <= moment + p_within)
          AND (p_before_id IS NULL OR x.id < p_before_id)
        ORDER BY x.id DESC LIMIT p_limit) n;
    FOR r IN SELECT * FROM capsule_rows(v_tenant, ids, p_listening, v_sensitivities, true) LOOP
        ended := CASE WHEN r.forwards_id IS NOT NULL THEN capsule_refusal(v_tenant, r.capsule_id, me.kind, me.id) END;
        IF ended IS NOT NULL THEN
            r.withheld := coalesce(r.withheld, ended); r.note := NULL; r.risks := NULL;
        END IF;
        RETURN NEXT r;
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.get_available_capsules(p_tenant uuid, p_subject_type text, p_subject_id text, p_scope text, p_project_id text, p_author text, p_listening text[], p_include_quarantined boolean, p_before_id uuid, p_limit integer)
 RETURNS SETOF capsule_row
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
DECLARE
    v_sensitivities text[] := labels_heard(p_tenant, p_listening, p_include_quarantined);
    me acting_context := acting(p_tenant);
    reader uuid := CASE me.kind WHEN 'agent' THEN me.id END;  -- NULL for people, who read all of them
    v_tenant uuid := p_tenant;
    moment timestamptz := statement_timestamp();
    ids uuid[];
BEGIN
    IF reader IS NULL OR p_subject_id IS NOT NULL THEN
        -- Few capsules are about one subject, so look up for each whether the agent was given it. OFFSET 0 keeps the
        -- planner from choosing a join by its statistics.
        SELECT array_agg(n.id) INTO ids FROM (
            SELECT x.id FROM capsules_effectivecapsule x
            WHERE x.tenant_id = v_tenant AND x.status = 'active' AND NOT x.is_retracted AND x.expires_at > moment
              AND (p_subject_type IS NULL OR x.subject_type = p_subject_type)
              AND (p_subject_id IS NULL OR x.subject_id = p_subject_id)
              AND (p_scope IS NULL OR x.scope = p_scope) AND (p_author IS NULL OR x.author = p_author)
              AND (p_project_id IS NULL OR x.project_id = p_project_id)
              AND is_capsule_listed(x, p_listening, p_include_quarantined)
              AND (p_before_id IS NULL OR x.id < p_before_id)
              AND (reader IS NULL OR (
                  SELECT true FROM capsules_capsuleaudience a
                  WHERE a.tenant_id = v_tenant AND a.agent_id = reader AND a.capsule_id = x.id OFFSET 0))
            ORDER BY x.id DESC LIMIT p_limit) n;
    ELSE
        -- Walk the capsules that the agent was given, newest first, until there are enough.
        SELECT array_agg(n.id) INTO ids FROM (
            SELECT x.id FROM (
                SELECT a.capsule_id FROM capsules_capsuleaudience a
                WHERE a.tenant_id = v_tenant AND a.agent_id = reader AND a.expires_at > moment
                  AND (p_before_id IS NULL OR a.capsule_id < p_before_id)
                ORDER BY a.capsule_id DESC OFFSET 0
            ) g
            CROSS JOIN LATERAL (
                SELECT y.id FROM capsules_effectivecapsule y
                WHERE y.tenant_id = v_tenant AND y.id = g.capsule_id AND y.status = 'active' AND NOT y.is_retracted
                  -- IS TRUE keeps the planner from using the index on the expiry instead of the primary key
                  AND (y.expires_at > moment) IS TRUE
                  AND (p_subject_type IS NULL OR y.subject_type = p_subject_type)
                  AND (p_scope IS NULL OR y.scope = p_scope) AND (p_author IS NULL OR y.author = p_author)
                  AND (p_project_id IS NULL OR y.project_id = p_project_id)
                  AND is_capsule_listed(y, p_listening, p_include_quarantined)
                OFFSET 0
            ) x
            ORDER BY g.capsule_id DESC LIMIT p_limit) n;
    END IF;
    RETURN QUERY SELECT * FROM capsule_rows(v_tenant, ids, p_listening, v_sensitivities, true);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.get_capsule_items(p_tenant uuid, p_capsules uuid[], p_listening text[], p_include_quarantined boolean)
 RETURNS TABLE(capsule_id uuid, kind text, item_id uuid, withheld text, text text, details text, importance numeric, ts timestamp with time zone, edits_applied integer, is_quarantined boolean, status text, media_type text, event_id uuid, session_id text, scope text, subject_type text, subject_id text, project_id text, channel text, content_hash text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    v_sensitivities text[] := labels_heard(p_tenant, p_listening, p_include_quarantined);
    v_tenant uuid := p_tenant;
    me acting_context := acting(p_tenant);
    v_capsules uuid[] := ARRAY(
        SELECT c FROM unnest(p_capsules) c WHERE capsule_refusal(p_tenant, c, me.kind, me.id) IS NULL);
    kinds text[];
    items uuid[];
    artifacts uuid[];
BEGIN
    -- The capsules are looked up one by one: for many at once, the planner reads all items of a tenant with few.
    SELECT array_agg(DISTINCT i.kind), array_agg(i.item_id) INTO kinds, items
    FROM unnest(v_capsules) AS k (id) CROSS JOIN LATERAL (
            SELECT y.* FROM capsules_capsuleitem y WHERE y.tenant_id = v_tenant AND y.capsule_id = k.id OFFSET 0) i;
    IF 'chunk' = ANY (kinds) THEN
        RETURN QUERY
        SELECT i.capsule_id, i.kind, i.item_id, w.why,
            CASE WHEN w.why IS NULL THEN span_of(c.body, x.span_start, x.span_end) END, NULL, x.importance::numeric,
            x.ts, x.edits_applied, x.is_quarantined, NULL, NULL, x.event_id, x.session_id, x.scope, x.subject_type,
            x.subject_id, x.project_id, x.channel, words_hash(c.sha256, NULL, x.span_start, x.span_end)
        FROM unnest(v_capsules) AS k (id) CROSS JOIN LATERAL (
            SELECT y.* FROM capsules_capsuleitem y WHERE y.tenant_id = v_tenant AND y.capsule_id = k.id OFFSET 0) i
        JOIN memory_effectivechunk x ON x.tenant_id = v_tenant AND x.id = i.item_id AND x.id = ANY (items)
        LEFT JOIN LATERAL content_of(v_tenant, x.content_id) c ON true
        CROSS JOIN LATERAL (SELECT CASE WHEN c.id IS NULL THEN 'erased'
            ELSE why_chunk_hidden(x, p_listening, v_sensitivities, p_include_quarantined) END AS why) w
        WHERE i.kind = 'chunk'
        ORDER BY i.capsule_id, i.position;
    END IF;
    IF 'decision' = ANY (kinds) THEN
        RETURN QUERY
        SELECT i.capsule_id, i.kind, i.item_id, w.why, CASE WHEN w.why IS NULL THEN c.body END,
            CASE WHEN w.why IS NULL THEN f.body END, d.importance::numeric, d.ts, d.edits_applied, d.is_quarantined,
            d.status, NULL, d.event_id, d.session_id, d.scope, d.subject_type, d.subject_id, d.project_id, d.channel,
            words_hash(c.sha256, f.sha256, NULL, NULL)
        FROM unnest(v_capsules) AS k (id) CROSS JOIN LATERAL (
            SELECT y.* FROM capsules_capsuleitem y WHERE y.tenant_id = v_tenant AND y.capsule_id = k.id OFFSET 0) i
        JOIN memory_effectivedecision d ON d.tenant_id = v_tenant AND d.id = i.item_id AND d.id = ANY (items)
        LEFT JOIN LATERAL content_of(v_tenant, d.content_id) c ON true
        LEFT JOIN LATERAL content_of(v_tenant, d.details_id) f ON true
        CROSS JOIN LATERAL (SELECT CASE WHEN c.id IS NULL THEN 'erased'
            ELSE why_decision_hidden(d, p_listening, v_sensitivities, p_include_quarantined) END AS why) w
        WHERE i.kind = 'decision'
        ORDER BY i.capsule_id, i.position;
    END IF;
    IF 'artifact' = ANY (kinds) THEN
        SELECT array_agg(DISTINCT a.event_id) INTO artifacts
        FROM unnest(v_capsules) AS k (id) CROSS JOIN LATERAL (
            SELECT y.* FROM capsules_capsuleitem y WHERE y.tenant_id = v_tenant AND y.capsule_id = k.id OFFSET 0) i
        JOIN memory_artifact a ON a.tenant_id = v_tenant AND a.id = i.item_id AND a.id = ANY (items)
        WHERE i.kind = 'artifact';
        RETURN QUERY
        SELECT i.capsule_id, i.kind, i.item_id, e.withheld, e.text, e.fields, NULL::numeric, a.ts, e.edits_applied,
            NULL::boolean, NULL, a.media_type, a.event_id, a.session_id, a.scope, a.subject_type, a.subject_id,
            a.project_id, a.channel, NULL
        FROM unnest(v_capsules) AS k (id) CROSS JOIN LATERAL (
            SELECT y.* FROM capsules_capsuleitem y WHERE y.tenant_id = v_tenant AND y.capsule_id = k.id OFFSET 0) i
        JOIN memory_artifact a ON a.tenant_id = v_tenant AND a.id = i.item_id AND a.id = ANY (items)
        JOIN get_events(v_tenant, artifacts, p_listening, p_include_quarantined) e
            ON e.event_id = a.event_id
        WHERE i.kind = 'artifact'
        ORDER BY i.capsule_id, i.position;
    END IF;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.get_capsule_words(p_tenant uuid, p_ids uuid[], p_listening text[], p_include_quarantined boolean)
 RETURNS TABLE(id uuid, note text, risks text, content_hash text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    me acting_context := acting(p_tenant);
    v_sensitivities text[] := labels_heard(p_tenant, p_listening, p_include_quarantined);
BEGIN
    RETURN QUERY
    SELECT r.capsule_id, r.note, r.risks, r.content_hash
    FROM capsule_rows(p_tenant, p_ids, p_listening, v_sensitivities, p_include_quarantined) r
    JOIN capsules_effectivecapsule x ON x.tenant_id = p_tenant AND x.id = r.capsule_id
    WHERE x.id = ANY (p_ids) AND why_capsule_hidden(x, p_listening, v_sensitivities, p_include_quarantined) IS NULL
      AND capsule_refusal(p_tenant, r.capsule_id, me.kind, me.id) IS NULL;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.get_captures(p_tenant uuid, p_ids uuid[], p_listening text[], p_include_superseded boolean)
 RETURNS TABLE(chunk_id uuid, event_id uuid, text text, source text, hook_type text, tool_name text, response_type text, response_id uuid, file_path text, chunk_index integer, total_chunks integer, word_offset integer, file_hash text, file_deleted_at timestamp with time zone, session_id text, ts timestamp with time zone, importance numeric, channel text, sensitivity text, retention text, tier text, tags text[], edits_applied integer, is_superseded boolean, recorder text, access_count bigint, last_accessed timestamp with time zone, confidence numeric)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    v_tenant uuid := p_tenant;
    heard text[] := sensitivities_heard(p_tenant, p_listening);
BEGIN
    RETURN QUERY
    SELECT x.id, x.event_id, span_of(b.body, x.span_start, x.span_end), c.source, c.hook_type, c.tool_name,
        c.response_type, c.response_id, coalesce(f.file_path, c.file_path), coalesce(f.chunk_index, k.chunk_index),
        coalesce(f.total_chunks, k.total_chunks), coalesce(f.word_offset, c.word_offset), f.file_hash,
        f.deleted_at, c.session_id, x.ts, x.importance, x.channel, x.sensitivity, k.retention, x.tier, x.tags,
        x.edits_applied, x.is_superseded, x.recorder, coalesce(a.access_count, 0), a.last_accessed,
        coalesce(a.confidence, 0.5)
    FROM unnest(p_ids) WITH ORDINALITY i (id, place)
    CROSS JOIN LATERAL (
        SELECT y.* FROM memory_effectivechunk y WHERE y.tenant_id = v_tenant AND y.id = i.id
          AND is_seen_in_chain(y, p_listening, heard, false, p_include_superseded) LIMIT 1) x
    CROSS JOIN LATERAL (
        SELECT y.* FROM memory_capture y WHERE y.tenant_id = v_tenant AND y.id = i.id LIMIT 1) c
    CROSS JOIN LATERAL chunk_of(v_tenant, i.id) k
    CROSS JOIN LATERAL content_of(v_tenant, x.content_id) b
    LEFT JOIN LATERAL (
        SELECT v.file_path, p.chunk_index, w.total_chunks, p.word_offset, v.file_hash,
            CASE WHEN v.change = 'deleted' THEN v.ts END AS deleted_at
        FROM memory_fileplacement p
        JOIN memory_fileversion w ON w.tenant_id = v_tenant AND w.id = p.version_id
        JOIN memory_fileversion v ON v.tenant_id = v_tenant AND v.placed_by = p.version_id
        WHERE p.tenant_id = v_tenant AND p.chunk_id = i.id ORDER BY v.ts DESC, v.number DESC LIMIT 1) f ON c.source = 'MDFileChunk'
    LEFT JOIN LATERAL (
        SELECT y.access_count, y.last_accessed, y.confidence FROM memory_chunkaccess y
        WHERE y.tenant_id = v_tenant AND y.id = i.id LIMIT 1) a ON true
    ORDER BY i.place;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.get_chunk_history(p_tenant uuid, p_chunk uuid)
 RETURNS TABLE(edit_id uuid, at timestamp with time zone, text text, importance numeric, is_retracted boolean, is_quarantined boolean, blocked_channels text[], edits_applied integer)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    k memory_chunk;
    twins uuid[];
    moment record;
    f record;
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT * INTO k FROM memory_chunk c WHERE c.tenant_id = p_tenant AND c.id = p_chunk;
    IF NOT FOUND THEN RETURN; END IF;
    SELECT coalesce(array_agg(d.id), '{}') INTO twins FROM memory_decision d
    WHERE d.tenant_id = p_tenant AND d.event_id = k.event_id;
    FOR moment IN
        SELECT NULL::uuid AS id, '-infinity'::timestamptz AS applied, k.ts AS shown
        UNION ALL
        SELECT e.id, s.applied_at, s.applied_at FROM governance_edit e CROSS JOIN LATERAL (
            SELECT y.applied_at, y.status FROM governance_editstate y
            WHERE y.tenant_id = p_tenant AND y.edit_id = e.id LIMIT 1) s
        WHERE s.status = 'approved' AND e.tenant_id = p_tenant AND e.target_id = ANY (p_chunk || twins)
        ORDER BY 2, 1
    LOOP
        SELECT * INTO f FROM fold_edits(p_tenant, k.id, twins, k.importance, moment.applied);
        edit_id := moment.id; at := moment.shown; importance := f.importance; is_retracted := f.is_retracted;
        is_quarantined := f.is_quarantined; blocked_channels := f.blocked_channels; edits_applied := f.edits_applied;
        SELECT CASE WHEN f.content_id IS NULL THEN span_of(c.body, k.span_start, k.span_end) ELSE c.body END INTO text
        FROM governance_content c WHERE c.tenant_id = p_tenant AND c.id = coalesce(f.content_id, k.content_id);
        RETURN NEXT;
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.get_chunk_use(p_tenant uuid, p_chunk uuid)
 RETURNS TABLE(confidence numeric, trust numeric, successes integer, failures integer, access_count bigint, last_accessed timestamp with time zone, sessions bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
    PERFORM require_tenant(p_tenant);
    IF seen_version(p_tenant, p_chunk, true) IS NULL THEN RETURN; END IF;
    RETURN QUERY
    SELECT coalesce(a.confidence, 0.5), trust_of(p_tenant, p_chunk), coalesce(a.successes, 0), coalesce(a.failures, 0),
        coalesce(a.access_count, 0), a.last_accessed,
        (SELECT count(*) FROM memory_chunksession s WHERE s.tenant_id = p_tenant AND s.chunk_id = p_chunk)
    FROM (VALUES (true)) one (row)
    LEFT JOIN LATERAL (
        SELECT y.* FROM memory_chunkaccess y WHERE y.tenant_id = p_tenant AND y.id = p_chunk) a ON true;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.get_chunks(p_tenant uuid, p_ids uuid[], p_listening text[], p_include_quarantined boolean)
 RETURNS SETOF chunk_row
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    v_tenant uuid := p_tenant;
    v_sensitivities text[] := labels_heard(p_tenant, p_listening, p_include_quarantined);
BEGIN
    RETURN QUERY
    SELECT * FROM chunk_rows(v_tenant, p_ids, p_listening, v_sensitivities, p_include_quarantined);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.get_context_capsules(p_tenant uuid, p_subject_type text, p_subject_id text, p_listening text[], p_include_quarantined boolean, p_offset integer, p_limit integer, p_beyond integer)
 RETURNS TABLE(capsule_id uuid, status text, created_at timestamp with time zone, expires_at timestamp with time zone, scope text, subject_type text, subject_id text, project_id text, author text, forwards_id uuid, may_forward boolean, item_count integer, audience_count integer, importance numeric, is_quarantined boolean, edits_applied integer, revoked_at timestamp with time zone, warned_at timestamp with time zone, withheld text, note text, risks text, content_hash text, available integer)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
DECLARE
    v_sensitivities text[] := labels_heard(p_tenant, p_listening, p_include_quarantined);
    me acting_context := acting(p_tenant);
    v_tenant uuid := p_tenant;
    moment timestamptz := statement_timestamp();
    ids uuid[];
    page uuid[];
    hidden uuid[];
BEGIN
    SELECT array_agg(n.id ORDER BY n.nth > p_limit / 2, n.importance DESC, n.id DESC) FILTER (WHERE NOT n.is_hidden),
        array_agg(n.id ORDER BY n.importance DESC, n.id DESC) FILTER (WHERE n.is_hidden)
    INTO ids, hidden
    FROM (
        SELECT a.*, row_number() OVER (
            PARTITION BY a.is_hidden, a.author_kind, a.authored_by ORDER BY a.importance DESC, a.id DESC) AS nth
        FROM (
            SELECT x.id, x.importance, x.author_kind, x.authored_by,
                NOT is_capsule_listed(x, p_listening, p_include_quarantined) AS is_hidden
            FROM capsules_effectivecapsule x
            WHERE x.tenant_id = v_tenant AND x.status = 'active' AND NOT x.is_retracted AND x.expires_at > moment
              AND (p_subject_type IS NULL OR x.subject_type = p_subject_type)
              AND (p_subject_id IS NULL OR x.subject_id = p_subject_id)
              AND EXISTS (
                  SELECT 1 FROM capsules_capsuleaudience g
                  WHERE g.tenant_id = v_tenant AND g.agent_id = me.id AND g.capsule_id = x.id
                    AND g.expires_at > moment)
        ) a
    ) n;
    page := ids[p_offset + 1 : p_offset + p_limit];
    RETURN QUERY
    SELECT r.capsule_id, r.status, r.created_at, r.expires_at, r.scope, r.subject_type, r.subject_id, r.project_id,
        r.author, r.forwards_id, r.may_forward, r.item_count, r.audience_count, r.importance, r.is_quarantined,
        r.edits_applied, r.revoked_at, r.warned_at, r.withheld, r.note, r.risks, r.content_hash,
        least(coalesce(cardinality(ids), 0), p_offset + p_limit + p_beyond)
    FROM capsule_rows(v_tenant, page || hidden[: p_beyond], p_listening, v_sensitivities, p_include_quarantined) r
    ORDER BY r.importance DESC, r.capsule_id DESC;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.get_context_decisions(p_tenant uuid, p_session_id text, p_subject_type text, p_subject_id text, p_project_id text, p_listening text[], p_include_quarantined boolean, p_offset integer, p_limit integer, p_beyond integer)
 RETURNS TABLE(decision_id uuid, withheld text, decision text, details text, importance numeric, ts timestamp with time zone, precedence integer, is_quarantined boolean, edits_applied integer, event_id uuid, scope text, subject_type text, subject_id text, project_id text, session_id text, channel text, actor_type text, actor_id text, recorder_kind text, recorder text, recorded_at timestamp with time zone, content_hash text, available integer)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    v_sensitivities text[] := labels_heard(p_tenant, p_listening, p_include_quarantined);
    v_tenant uuid := p_tenant;
    reach int := p_offset + p_limit + p_beyond;
    ids uuid[];
    hidden uuid[];
    met int;
    about record;
BEGIN
    SELECT * INTO about
    FROM associated_with(v_tenant, p_subject_type, p_subject_id, p_listening, v_sensitivities, p_include_quarantined);
    SELECT array_agg(n.id ORDER BY n.place) FILTER (WHERE n.why IS NULL),
        array_agg(n.id ORDER BY n.place) FILTER (WHERE n.why IS NOT NULL), count(*)
    INTO ids, hidden, met
    FROM (
        SELECT x.id, a.ordinality AS place, x.why
        FROM decisions_in_force(v_tenant, false, NULL, about.projects || p_project_id, p_subject_type, p_subject_id,
            about.sessions || p_session_id, '{}',
            '{private,public,team,agent,none,low,high,secret}', true, reach)
            WITH ORDINALITY a
        CROSS JOIN LATERAL (
            SELECT d.id, why_decision_hidden(d, p_listening, v_sensitivities, p_include_quarantined) AS why
            FROM memory_effectivedecision d WHERE d.tenant_id = v_tenant AND d.id = a.decision_id LIMIT 1) x
    ) n;
    IF met = reach AND hidden IS NOT NULL THEN
        -- hidden decisions used up the page: fetch visible ones only
        SELECT array_agg(a.decision_id) INTO ids
        FROM get_active_decisions(v_tenant, NULL, p_project_id, p_subject_type, p_subject_id, p_session_id,
            p_listening, p_include_quarantined, reach) a;
    END IF;
    RETURN QUERY
    SELECT x.id, w.why, CASE WHEN w.why IS NULL THEN c.body END, CASE WHEN w.why IS NULL THEN f.body END, x.importance,
        x.ts,
        CASE x.scope WHEN 'policy' THEN 4 WHEN 'project' THEN 3 WHEN 'user' THEN 2 WHEN 'session' THEN 1 ELSE 0 END,
        x.is_quarantined, x.edits_applied, x.event_id, x.scope, x.subject_type, x.subject_id, x.project_id,
        x.session_id, x.channel, e.actor_type, e.actor_id, e.recorder_kind, e.recorder, e.recorded_at,
        words_hash(c.sha256, f.sha256, NULL, NULL), coalesce(cardinality(ids), 0)
    FROM unnest(ids[p_offset + 1 : p_offset + p_limit] || hidden[: p_beyond]) WITH ORDINALITY AS n (id, place)
    JOIN memory_effectivedecision x ON x.tenant_id = v_tenant AND x.id = n.id
    CROSS JOIN LATERAL content_of(v_tenant, x.content_id) c
    LEFT JOIN LATERAL content_of(v_tenant, x.details_id) f ON true
    LEFT JOIN LATERAL event_of(v_tenant, x.event_id) e ON true
    CROSS JOIN LATERAL (
        SELECT why_decision_hidden(x, p_listening, v_sensitivities, p_include_quarantined) AS why) w
    WHERE x.id = ANY (ids || hidden)
    ORDER BY n.place;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.get_context_words(p_tenant uuid, p_ids uuid[], p_listening text[], p_include_quarantined boolean)
 RETURNS TABLE(kind text, id uuid, text text, content_hash text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    v_tenant uuid := p_tenant;
    v_sensitivities text[] := labels_heard(p_tenant, p_listening, p_include_quarantined);
BEGIN
    RETURN QUERY
    SELECT 'chunk', k.chunk_id, k.text, k.content_hash
    FROM context_chunks(v_tenant, p_ids, NULL, p_listening, v_sensitivities, p_include_quarantined, NULL) k
    WHERE k.withheld IS NULL
    UNION ALL
    SELECT r.kind, r.id, c.body, words_hash(c.sha256, f.sha256, NULL, NULL) FROM (
        SELECT 'decision' AS kind, d.id, d.content_id, d.details_id
        FROM memory_effectivedecision d WHERE d.tenant_id = v_tenant AND d.id = ANY (p_ids)
          AND why_decision_hidden(d, p_listening, v_sensitivities, p_include_quarantined) IS NULL
        UNION ALL
        SELECT 'task', t.id, t.content_id, t.details_id
        FROM memory_effectivetask t WHERE t.tenant_id = v_tenant AND t.id = ANY (p_ids)
          AND why_task_hidden(t, p_listening, v_sensitivities, p_include_quarantined) IS NULL
    ) r
    CROSS JOIN LATERAL content_of(v_tenant, r.content_id) c
    LEFT JOIN LATERAL content_of(v_tenant, r.details_id) f ON true;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.get_core_memories(p_tenant uuid, p_agent uuid, p_listening text[])
 RETURNS SETOF agent_memory_row
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    v_tenant uuid := p_tenant;
    heard text[] := sensitivities_heard(p_tenant, p_listening);
BEGIN
    PERFORM require_own_chain(p_tenant, p_agent);
    RETURN QUERY
    SELECT * FROM agent_memory_rows(v_tenant, ARRAY(
        SELECT x.id FROM memory_effectivechunk x
        WHERE x.tenant_id = v_tenant AND x.recorded_by = p_agent AND x.is_core AND NOT x.is_superseded),
        p_listening, heard, false, false) r
    ORDER BY array_position('{persona,user_profile,goals,knowledge}', r.block_label), r.seq DESC;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.get_decisions(p_tenant uuid, p_ids uuid[], p_listening text[], p_include_quarantined boolean)
 RETURNS TABLE(decision_id uuid, decision text, details text, importance numeric, status text, ts timestamp with time zone, is_quarantined boolean, edits_applied integer, event_id uuid, scope text, subject_type text, subject_id text, project_id text, session_id text, channel text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    v_tenant uuid := p_tenant;
    v_sensitivities text[] := labels_heard(p_tenant, p_listening, p_include_quarantined);
BEGIN
    RETURN QUERY
    SELECT d.id, c.body, f.body, d.importance, d.status, d.ts, d.is_quarantined, d.edits_applied, d.event_id, d.scope,
        d.subject_type, d.subject_id, d.project_id, d.session_id, d.channel
    FROM memory_effectivedecision d
    CROSS JOIN LATERAL content_of(v_tenant, d.content_id) c
    LEFT JOIN LATERAL content_of(v_tenant, d.details_id) f ON true
    WHERE d.tenant_id = v_tenant AND d.id = ANY (p_ids)
      AND why_decision_hidden(d, p_listening, v_sensitivities, p_include_quarantined) IS NULL;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.get_edit_texts(p_tenant uuid, p_edits uuid[])
 RETURNS TABLE(edit_id uuid, body text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY SELECT e.id, c.body FROM governance_edit e
        CROSS JOIN LATERAL content_of(p_tenant, e.content_id) c
        WHERE e.tenant_id = p_tenant AND e.id = ANY (p_edits);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.get_events(p_tenant uuid, p_ids uuid[], p_listening text[], p_include_quarantined boolean)
 RETURNS TABLE(event_id uuid, withheld text, text text, fields text, is_amended boolean, edits_applied integer)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    v_tenant uuid := p_tenant;
    v_sensitivities text[] := labels_heard(p_tenant, p_listening, p_include_quarantined);
BEGIN
    RETURN QUERY
    WITH state AS (
        SELECT e.id, e.content_id, e.fields_id, coalesce(m.amended, false) AS amended,
            coalesce(m.edits, 0) AS edits, coalesce(m.erased, false) AS erased,
            -- a hidden chunk hides its event; a superseded chunk does not
            why_hidden(m.retracted, false, coalesce(m.blocked, '{}'), m.quarantined, e.channel, e.sensitivity,
                p_listening, v_sensitivities, p_include_quarantined) AS hidden
        FROM unnest(p_ids) AS i (id) CROSS JOIN LATERAL event_of(v_tenant, i.id) e LEFT JOIN LATERAL (
            SELECT bool_or(x.is_retracted) AS retracted, bool_or(x.is_quarantined) AS quarantined,
                string_to_array(string_agg(array_to_string(x.blocked_channels, ','), ','), ',') AS blocked,
                bool_or(x.content_id <> k.content_id) AS amended,
                sum(x.edits_applied)::int AS edits, bool_or(c.id IS NULL) AS erased
            FROM (SELECT y.id, y.content_id FROM memory_chunk y
                  WHERE y.tenant_id = v_tenant AND y.event_id = e.id OFFSET 0) k
            CROSS JOIN LATERAL (
                SELECT y.* FROM memory_effectivechunk y WHERE y.tenant_id = v_tenant AND y.id = k.id LIMIT 1) x
            LEFT JOIN LATERAL content_of(v_tenant, x.content_id) c ON true
        ) m ON true
    ), seen AS (
        SELECT s.*, t.body AS text, f.body AS fields, CASE
            WHEN s.erased OR s.content_id IS NOT NULL AND t.id IS NULL OR s.fields_id IS NOT NULL AND f.id IS NULL
                THEN 'erased' ELSE s.hidden END AS why
        FROM state s
        LEFT JOIN LATERAL content_of(v_tenant, s.content_id) t ON true
        LEFT JOIN LATERAL content_of(v_tenant, s.fields_id) f ON true
    )
    SELECT s.id, s.why,
        CASE WHEN s.why IS NOT NULL THEN NULL
             WHEN s.amended THEN amended_text(v_tenant, s.id)
             ELSE s.text END,
        CASE WHEN s.why IS NULL AND NOT s.amended THEN s.fields END,
        s.amended, s.edits
    FROM seen s;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.get_evidence(p_tenant uuid, p_session_id text, p_query text, p_vector halfvec, p_model text, p_subject_type text, p_subject_id text, p_project_id text, p_listening text[], p_include_quarantined boolean, p_collapse boolean, p_best_from integer, p_best integer, p_newest_from integer, p_newest integer, p_reach integer)
 RETURNS SETOF context_chunk_row
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    v_sensitivities text[] := labels_heard(p_tenant, p_listening, p_include_quarantined);
    v_tenant uuid := p_tenant;
    listened search_filter := (p_listening, v_sensitivities, (acting(p_tenant)).channels, p_include_quarantined, NULL,
        NULL, NULL, NULL, NULL, false, NULL);
    meaning search_meaning := ('hybrid', NULL, p_vector, p_model);
    ids uuid[] := '{}';
    ranks real[] := '{}';
    of_subject uuid[];
    of_project uuid[];
    of_nobody uuid[];
    by_subject text[];
    by_project text[];
    by_nobody text[];
    newest uuid[];
    recorders text[];
    flooding text;
    last int := p_newest_from + p_newest;
    walked int := CASE WHEN p_newest_from = 0 THEN greatest(p_reach, 2000) ELSE p_reach END;
BEGIN
    IF p_query IS NOT NULL THEN
        SELECT array_agg(e.id), array_agg(e.rank) INTO ids, ranks
        FROM evidence_matches(v_tenant, p_session_id, p_query, p_subject_type, p_subject_id, p_project_id, listened,
            meaning, p_collapse, p_best_from + p_best) e (id, rank, place)
        WHERE e.place > p_best_from;
    END IF;
    IF p_subject_id IS NOT NULL THEN
        SELECT array_agg(n.id), array_agg(n.recorder) INTO of_subject, by_subject FROM (
            SELECT x.id, x.recorder FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant AND x.subject_type = p_subject_type AND x.subject_id = p_subject_id
              AND is_seen(x, p_listening, v_sensitivities, p_include_quarantined) AND x.tier <> 'archive'
            ORDER BY x.ts DESC, x.id DESC LIMIT walked) n;
    ELSIF p_project_id IS NULL THEN
        SELECT array_agg(n.id), array_agg(n.recorder) INTO of_nobody, by_nobody FROM (
            SELECT y.id, y.recorder FROM unnest('{session,policy,global}'::text[]) AS a (scope)
            CROSS JOIN LATERAL (
                -- most of a scope can be about somebody, so bound the walk
                SELECT x.id, x.ts, x.subject_id, x.project_id, x.recorder FROM memory_effectivechunk x
                WHERE x.tenant_id = v_tenant AND x.scope = a.scope
                  AND is_seen(x, p_listening, v_sensitivities, p_include_quarantined) AND x.tier <> 'archive'
                ORDER BY x.ts DESC, x.id DESC LIMIT greatest(4 * last, walked)
            ) y
            WHERE num_nonnulls(y.subject_id, y.project_id) = 0
            ORDER BY y.ts DESC, y.id DESC LIMIT walked) n;
    END IF;
    IF p_project_id IS NOT NULL THEN
        SELECT array_agg(n.id), array_agg(n.recorder) INTO of_project, by_project FROM (
            SELECT y.id, y.recorder FROM (
                -- most of a project can be about other subjects, so bound the walk
                SELECT x.id, x.ts, x.subject_id, x.recorder FROM memory_effectivechunk x
                WHERE x.tenant_id = v_tenant AND x.project_id = p_project_id
                  AND is_seen(x, p_listening, v_sensitivities, p_include_quarantined) AND x.tier <> 'archive'
                ORDER BY x.ts DESC, x.id DESC LIMIT greatest(4 * last, walked)
            ) y
            WHERE p_subject_id IS NULL OR y.subject_id IS NULL
            ORDER BY y.ts DESC, y.id DESC LIMIT walked) n;
    END IF;
    newest := of_subject[p_newest_from + 1 : last] || of_project[p_newest_from + 1 : last]
        || of_nobody[p_newest_from + 1 : last];
    IF p_newest_from = 0 THEN
        recorders := by_subject[: last] || by_project[: last] || by_nobody[: last];
        SELECT r INTO flooding FROM unnest(recorders) r GROUP BY r HAVING count(*) * 10 >= cardinality(recorders) * 9;
        newest := newest || ARRAY(
            SELECT o.id FROM unnest(of_subject[last + 1 :] || of_project[last + 1 :] || of_nobody[last + 1 :],
                by_subject[last + 1 :] || by_project[last + 1 :] || by_nobody[last + 1 :])
                WITH ORDINALITY AS o (id, recorder, place)
            WHERE o.recorder <> flooding ORDER BY o.place LIMIT p_newest);
        of_subject := of_subject[: p_reach]; of_project := of_project[: p_reach]; of_nobody := of_nobody[: p_reach];
    END IF;
    SELECT array_agg(f.id), array_agg(f.score) INTO ids, ranks FROM (
        SELECT u.id, max(u.score) AS score FROM (
            SELECT * FROM unnest(ids, ranks)
            UNION ALL
            SELECT m, 0 FROM unnest(newest) m
        ) AS u (id, score) GROUP BY u.id
    ) f;
    IF p_collapse THEN  -- of those that say the same, the best or else the newest stays
        SELECT array_agg(f.id), array_agg(f.score) INTO ids, ranks FROM unnest(ids, ranks) f (id, score)
        WHERE NOT EXISTS (
            SELECT FROM duplicates_of(v_tenant, f.id) d (id) JOIN unnest(ids, ranks) b (id, score) ON b.id = d.id
            WHERE (b.score, b.id) > (f.score, f.id));
    END IF;
    RETURN QUERY
    SELECT *
    FROM context_chunks(v_tenant, ids, ranks, p_listening, v_sensitivities, p_include_quarantined,
        coalesce(cardinality(of_subject || of_project || of_nobody), 0)) c
    WHERE c.withheld IS NULL;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.get_handoff(p_tenant uuid, p_session_id text, p_subject_type text, p_subject_id text, p_project_id text, p_listening text[], p_include_quarantined boolean, p_offset integer, p_limit integer, p_beyond integer)
 RETURNS SETOF context_chunk_row
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    v_sensitivities text[] := labels_heard(p_tenant, p_listening, p_include_quarantined);
    v_tenant uuid := p_tenant;
    reach int := p_offset + p_limit + p_beyond;
    ids uuid[];
    hidden uuid[];
    met int;
BEGIN
    SELECT array_agg(h.chunk_id) FILTER (WHERE NOT h.is_hidden), array_agg(h.chunk_id) FILTER (WHERE h.is_hidden),
        count(*)
    INTO ids, hidden, met
    FROM handoff_ids(v_tenant, p_session_id, p_subject_type, p_subject_id, p_project_id, p_listening,
        v_sensitivities, p_include_quarantined, true, reach) h;
    IF met = reach AND hidden IS NOT NULL THEN
        -- hidden summaries used up the page: fetch visible ones only
        SELECT array_agg(h.chunk_id) INTO ids
        FROM handoff_ids(v_tenant, p_session_id, p_subject_type, p_subject_id, p_project_id, p_listening,
            v_sensitivities, p_include_quarantined, false, reach) h;
    END IF;
    RETURN QUERY
    SELECT *
    FROM context_chunks(v_tenant, ids[p_offset + 1 : p_offset + p_limit] || hidden[: p_beyond], NULL, p_listening,
        v_sensitivities, p_include_quarantined, coalesce(cardinality(ids), 0)) c
    ORDER BY c.ts DESC, c.chunk_id DESC;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.get_leaf_row(p_tenant uuid, p_kind text, p_id uuid)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE found text;
BEGIN
    PERFORM require_tenant(p_tenant);
    IF to_regprocedure(format('%I(uuid,uuid[])', 'leaves_of_' || p_kind)) IS NULL THEN RETURN NULL; END IF;
    EXECUTE format('SELECT x.leaf::text FROM %I($1, ARRAY[$2]) x', 'leaves_of_' || p_kind)
        INTO found USING p_tenant, p_id;
    RETURN found;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.get_origins(p_tenant uuid, p_ids uuid[], p_listening text[], p_include_quarantined boolean, p_with_places boolean)
 RETURNS TABLE(chunk_id uuid, speaker text, refs text[], place integer)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    v_sensitivities text[] := labels_heard(p_tenant, p_listening, p_include_quarantined);
    v_tenant uuid := p_tenant;
BEGIN
    RETURN QUERY
    SELECT x.id, e.actor_id, coalesce(e.refs, '{}'), CASE WHEN p_with_places AND x.session_id IS NOT NULL THEN (
        SELECT count(*)::int FROM (
            SELECT FROM memory_effectivechunk b
            WHERE b.tenant_id = v_tenant AND b.session_id = x.session_id AND (b.ts, b.id) < (x.ts, x.id)
              AND is_seen(b, p_listening, v_sensitivities, p_include_quarantined)
            LIMIT 10000) before) END
    FROM unnest(p_ids) i (id)
    CROSS JOIN LATERAL (
        SELECT y.id, y.event_id, y.session_id, y.ts FROM memory_effectivechunk y
        WHERE y.tenant_id = v_tenant AND y.id = i.id
          AND is_seen(y, p_listening, v_sensitivities, p_include_quarantined) LIMIT 1) x
    LEFT JOIN LATERAL (
        SELECT o.actor_id, o.refs FROM event_of(v_tenant, x.event_id) o LIMIT 1) e ON true;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.get_recalled(p_tenant uuid, p_ids uuid[], p_listening text[], p_include_superseded boolean)
 RETURNS TABLE(chunk_id uuid, text text, importance numeric, ts timestamp with time zone, edits_applied integer, channel text, sensitivity text, tier text, source text, recorder text, recorded_by uuid, session_id text, event_id uuid, retention text, seq bigint, is_superseded boolean, superseded_by bigint, supersedes bigint[], block_label text, version integer, is_core boolean, expires_at timestamp with time zone, access_count bigint, last_accessed timestamp with time zone, confidence numeric)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    v_tenant uuid := p_tenant;
    heard text[] := sensitivities_heard(p_tenant, p_listening);
BEGIN
    RETURN QUERY
    SELECT x.id, span_of(c.body, x.span_start, x.span_end), x.importance, x.ts, x.edits_applied, x.channel,
        x.sensitivity, x.tier, x.source, x.recorder, x.recorded_by, x.session_id, x.event_id, k.retention, x.seq,
        x.is_superseded, CASE WHEN x.is_superseded THEN (
            SELECT s.seq FROM memory_agentmemory s WHERE s.tenant_id = v_tenant AND s.id = x.superseded_by) END,
        CASE WHEN x.seq IS NOT NULL THEN ARRAY(
            SELECT s.superseded_seq FROM memory_supersession s WHERE s.tenant_id = v_tenant
              AND s.successor_id = x.id AND s.kind = 'consolidation' ORDER BY 1) ELSE '{}' END,
        x.block_label, m.version, x.is_core, x.expires_at, coalesce(a.access_count, 0), a.last_accessed,
        coalesce(a.confidence, 0.5)
    FROM unnest(p_ids) AS i (id)
    CROSS JOIN LATERAL (
        SELECT y.* FROM memory_effectivechunk y WHERE y.tenant_id = v_tenant AND y.id = i.id
          AND is_seen_in_chain(y, p_listening, heard, false, p_include_superseded) LIMIT 1) x
    CROSS JOIN LATERAL chunk_of(v_tenant, i.id) k
    CROSS JOIN LATERAL content_of(v_tenant, x.content_id) c
    LEFT JOIN LATERAL (
        SELECT y.version FROM memory_agentmemory y
        WHERE y.tenant_id = v_tenant AND y.id = i.id AND x.block_label IS NOT NULL LIMIT 1) m ON true
    LEFT JOIN LATERAL (
        SELECT y.access_count, y.last_accessed, y.confidence FROM memory_chunkaccess y
        WHERE y.tenant_id = v_tenant AND y.id = i.id LIMIT 1) a ON true;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.get_session_window(p_tenant uuid, p_session_id text, p_listening text[], p_include_quarantined boolean, p_offset integer, p_limit integer, p_beyond integer)
 RETURNS SETOF context_chunk_row
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    v_sensitivities text[] := labels_heard(p_tenant, p_listening, p_include_quarantined);
    v_tenant uuid := p_tenant;
    reach int := p_offset + p_limit + p_beyond;
    ids uuid[];
    hidden uuid[];
    met int;
BEGIN
    SELECT array_agg(n.id) FILTER (WHERE n.is_seen), array_agg(n.id) FILTER (WHERE NOT n.is_seen), count(*)
    INTO ids, hidden, met
    FROM (
        SELECT x.id, is_seen(x, p_listening, v_sensitivities, p_include_quarantined) AS is_seen
        FROM memory_effectivechunk x
        WHERE x.tenant_id = v_tenant AND x.session_id = p_session_id
          AND NOT x.is_retracted AND x.superseded_by IS NULL AND x.tier <> 'archive'
        ORDER BY x.ts DESC, x.chunk_index DESC, x.id DESC LIMIT reach) n;
    IF met = reach AND hidden IS NOT NULL THEN
        -- hidden chunks used up the page: fetch visible ones only
        SELECT array_agg(n.id) INTO ids FROM (
            SELECT x.id FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant AND x.session_id = p_session_id
              AND is_seen(x, p_listening, v_sensitivities, p_include_quarantined) AND x.tier <> 'archive'
            ORDER BY x.ts DESC, x.chunk_index DESC, x.id DESC LIMIT reach) n;
    END IF;
    RETURN QUERY
    SELECT *
    FROM context_chunks(v_tenant, ids[p_offset + 1 : p_offset + p_limit] || hidden[: p_beyond], NULL, p_listening,
        v_sensitivities, p_include_quarantined, coalesce(cardinality(ids), 0)) c;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.get_timeline(p_tenant uuid, p_around uuid, p_window_seconds integer, p_listening text[], p_channels text[], p_include_quarantined boolean, p_include_archived boolean, p_limit integer, p_after_ts timestamp with time zone, p_after_id uuid)
 RETURNS TABLE(chunk_id uuid, text text, importance numeric, ts timestamp with time zone, distance_seconds integer, edits_applied integer, is_quarantined boolean, event_id uuid, session_id text, scope text, subject_type text, subject_id text, project_id text, channel text, tier text, source text, recorder text, center_ts timestamp with time zone, tags text[])
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    v_sensitivities text[] := labels_heard(p_tenant, p_listening, p_include_quarantined);
    v_tenant uuid := p_tenant;
    centre timestamptz;
    reach interval := make_interval(secs => p_window_seconds);
    -- each walk goes on after this place
    later_ts timestamptz;
    later_id uuid := '00000000-0000-0000-0000-000000000000';
    earlier_ts timestamptz;
    earlier_id uuid := '00000000-0000-0000-0000-000000000000';
BEGIN
    SELECT x.ts INTO centre FROM memory_effectivechunk x
    WHERE x.tenant_id = v_tenant AND x.id = p_around
      AND is_seen(x, p_listening, v_sensitivities, p_include_quarantined);
    IF NOT FOUND THEN RETURN; END IF;
    later_ts := centre;
    earlier_ts := centre;
    IF p_after_ts >= centre AND p_after_id <> p_around THEN
        later_ts := p_after_ts; later_id := p_after_id;
        earlier_ts := centre - (p_after_ts - centre);
    ELSIF p_after_ts < centre THEN
        earlier_ts := p_after_ts; earlier_id := p_after_id;
        later_ts := centre + (centre - p_after_ts);
    END IF;
    RETURN QUERY
    SELECT n.id, n.text, n.importance, n.ts, round(extract(epoch FROM n.ts - centre))::int, n.edits_applied,
        n.is_quarantined, n.event_id, n.session_id, n.scope, n.subject_type, n.subject_id, n.project_id, n.channel,
        n.tier, n.source, n.recorder, centre, n.tags
    FROM (
        (SELECT x.id, x.text, x.importance, x.ts, x.edits_applied, x.is_quarantined, x.event_id, x.session_id,
                x.scope, x.subject_type, x.subject_id, x.project_id, x.channel, x.tier, x.source, x.recorder, x.tags
         FROM memory_effectivechunk x
         WHERE x.tenant_id = v_tenant AND x.ts >= later_ts AND x.ts <= centre + reach
           AND (x.ts, x.id) > (later_ts, later_id) AND x.id <> p_around
           AND is_seen(x, p_listening, v_sensitivities, p_include_quarantined)
           AND x.channel = ANY (p_channels) AND (p_include_archived OR x.tier <> 'archive')
         ORDER BY x.ts, x.id LIMIT p_limit)
        UNION ALL
        -- the one in the middle comes first, in whichever channel it was recorded
        (SELECT x.id, x.text, x.importance, x.ts, x.edits_applied, x.is_quarantined, x.event_id, x.session_id,
                x.scope, x.subject_type, x.subject_id, x.project_id, x.channel, x.tier, x.source, x.recorder, x.tags
         FROM memory_effectivechunk x
         WHERE x.tenant_id = v_tenant AND x.id = p_around AND p_after_id IS NULL)
        UNION ALL
        (SELECT x.id, x.text, x.importance, x.ts, x.edits_applied, x.is_quarantined, x.event_id, x.session_id,
                x.scope, x.subject_type, x.subject_id, x.project_id, x.channel, x.tier, x.source, x.recorder, x.tags
         FROM memory_effectivechunk x
         WHERE x.tenant_id = v_tenant AND x.ts <= earlier_ts AND x.ts >= centre - reach
           AND (x.ts, x.id) < (earlier_ts, earlier_id)
           AND is_seen(x, p_listening, v_sensitivities, p_include_quarantined) AND x.channel = ANY (p_channels)
           AND (p_include_archived OR x.tier <> 'archive')
         ORDER BY x.ts DESC, x.id DESC LIMIT p_limit)
    ) n
    ORDER BY (n.id = p_around) DESC, CASE WHEN n.ts < centre THEN centre - n.ts ELSE n.ts - centre END,
        n.ts < centre DESC, CASE WHEN n.ts >= centre THEN n.id END, n.id DESC LIMIT p_limit;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.give_password(p_tenant uuid, p_user uuid, p_password text, p_until timestamp with time zone, OUT tenants uuid[], OUT refusal text)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    SELECT l.tenants, l.refusal INTO tenants, refusal FROM lock_account(p_tenant, p_user) l;
    IF refusal IS NOT NULL THEN RETURN; END IF;
    UPDATE governance_user u SET password = p_password, one_time_password_until = p_until,
        sessions_ended = u.sessions_ended + 1, reset_at = clock_timestamp(),
        reset_by = CASE me.kind WHEN 'human' THEN me.id END
    WHERE u.id = p_user;
    tenants := owe_everywhere(tenants || p_tenant, 'person.password_given', p_user);
END $function$

-- owner suture_owner; EXECUTE to suture_owner
CREATE OR REPLACE FUNCTION public.governance_deny_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
    RAISE EXCEPTION '% on % is refused: the table is append-only', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END $function$

-- owner suture_owner; EXECUTE to suture_owner
CREATE OR REPLACE FUNCTION public.governance_deny_change_unless_erased()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
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
END $function$

-- owner suture_owner; EXECUTE to suture_owner
CREATE OR REPLACE FUNCTION public.governance_guard_always()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE guard record;
BEGIN
    FOR guard IN
        SELECT tgrelid::regclass AS relation, tgname FROM pg_trigger
        WHERE tgfoid IN ('governance_deny_change'::regproc, 'governance_deny_change_unless_erased'::regproc)
          AND tgenabled <> 'A'
    LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', guard.relation, guard.tgname);
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_gate, EXECUTE to suture_owner
CREATE OR REPLACE FUNCTION public.governance_note_recorded()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM set_config('suture.recorded', concat(current_setting('suture.recorded', true), (
        SELECT string_agg(concat(n.tenant_id, ' ', TG_TABLE_NAME, ' ', n.ids, ';'), '') FROM (
            SELECT r.tenant_id, string_agg(r.id::text, ',' ORDER BY r.id) AS ids FROM recorded r GROUP BY r.tenant_id) n)), true);
    RETURN NULL;
END $function$

-- owner suture_gate; EXECUTE to suture_gate, EXECUTE to suture_owner
CREATE OR REPLACE FUNCTION public.governance_refuse_owed_entry()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    IF EXISTS (SELECT FROM governance_owedentry o WHERE o.tenant_id = NEW.tenant_id AND o.id = NEW.id) THEN
        RAISE EXCEPTION 'a change of roles, keys, accounts or policies has no entry in the ledger: %', NEW.type
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = TG_NAME;
    END IF;
    RETURN NULL;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.grant_role(p_tenant uuid, p_user uuid, p_role text, OUT was_granted boolean, OUT refusal text)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE me acting_context := acting_manager(p_tenant);
BEGIN
    was_granted := false;
    IF p_user = me.id AND EXISTS (
        SELECT FROM governance_membership m WHERE m.tenant_id = p_tenant AND m.role = 'admin' AND m.is_active)
    THEN
        refusal := 'own_role'; RETURN;
    END IF;
    IF me.kind <> 'system'
        AND NOT EXISTS (SELECT FROM governance_user u WHERE u.id = p_user AND u.made_in_id = p_tenant)
        AND NOT EXISTS (
            SELECT FROM governance_membership m WHERE m.tenant_id = p_tenant AND m.user_id = p_user AND m.is_active)
        AND NOT never_had_admin(p_tenant)
    THEN
        refusal := 'needs_invitation'; RETURN;
    END IF;
    was_granted := put_role(p_tenant, p_user, p_role);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.handoff_ids(p_tenant uuid, p_session_id text, p_subject_type text, p_subject_id text, p_project_id text, p_listening text[], p_sensitivities text[], p_include_quarantined boolean, p_with_hidden boolean, p_limit integer)
 RETURNS TABLE(chunk_id uuid, is_hidden boolean)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    RETURN QUERY
    SELECT n.id, NOT n.is_seen FROM (
        (SELECT x.id, x.ts, is_seen(x, p_listening, p_sensitivities, p_include_quarantined) AS is_seen
         FROM memory_effectivechunk x
         WHERE x.tenant_id = v_tenant AND x.subject_type = p_subject_type AND x.subject_id = p_subject_id
           AND x.source = 'summary' AND x.session_id IS DISTINCT FROM p_session_id
           AND NOT x.is_retracted AND x.superseded_by IS NULL AND x.tier <> 'archive'
           AND (p_with_hidden OR is_seen(x, p_listening, p_sensitivities, p_include_quarantined))
         ORDER BY x.ts DESC, x.id DESC LIMIT p_limit)
        UNION
        (SELECT x.id, x.ts, is_seen(x, p_listening, p_sensitivities, p_include_quarantined)
         FROM memory_effectivechunk x
         WHERE x.tenant_id = v_tenant AND x.project_id = p_project_id
           AND x.source = 'summary' AND x.session_id IS DISTINCT FROM p_session_id
           AND NOT x.is_retracted AND x.superseded_by IS NULL AND x.tier <> 'archive'
           AND (p_subject_id IS NULL OR x.subject_id IS NULL)
           AND (p_with_hidden OR is_seen(x, p_listening, p_sensitivities, p_include_quarantined))
         ORDER BY x.ts DESC, x.id DESC LIMIT p_limit)
    ) n
    ORDER BY n.ts DESC, n.id DESC LIMIT p_limit;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.has_terms(x memory_effectivechunk, p_tenant uuid, p_terms tsquery)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT x.tenant_id IS NOT DISTINCT FROM p_tenant
       AND index_terms(x.tenant_id, x.id, x.ts, x.channel, x.scope, x.subject_type, x.subject_id, x.project_id,
           x.session_id, x.tsv) @@ p_terms
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.has_words(p_tenant uuid, p_recorded uuid, p_effective uuid, p_also applied_edit DEFAULT NULL::applied_edit)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    RETURN EXISTS (SELECT 1 FROM governance_content c WHERE c.tenant_id = p_tenant AND c.id = p_recorded)
        AND (p_effective = p_recorded OR p_also.body IS NOT NULL AND p_effective = p_also.content_id
            OR EXISTS (SELECT 1 FROM governance_content c WHERE c.tenant_id = p_tenant AND c.id = p_effective));
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.hide_staged(p_tenant uuid, p_chunks uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE me acting_context := acting_writer(p_tenant);
BEGIN
    UPDATE memory_effectivechunk x SET superseded_by = x.id, is_superseded = true
    WHERE x.tenant_id = p_tenant AND x.id = ANY (p_chunks) AND x.recorded_by = me.id AND x.source = 'file'
      AND NOT is_placed_now(p_tenant, x.id);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.highlighted(p_language regconfig, p_text text, p_query tsquery, p_wanted boolean)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT CASE WHEN p_wanted THEN ts_headline(p_language, parsable_text(
        replace(replace(replace(p_text, '&', '&amp;'), '<', '&lt;'), '>', '&gt;')), p_query,
        'StartSel=<mark>, StopSel=</mark>, MaxFragments=2, MaxWords=30, MinWords=10, FragmentDelimiter=" … "') END
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.hold_consolidations(p_tenant uuid, p_chunks uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    c record;
    author acting_context;
BEGIN
    FOR c IN
        SELECT x.id, x.sensitivity, x.recorded_by, x.recorder, b.seqs
        FROM (SELECT s.successor_id, string_agg(DISTINCT s.superseded_seq::text, ', ') AS seqs
              FROM unnest(p_chunks) i (id) CROSS JOIN LATERAL (
                  SELECT z.successor_id, z.superseded_seq FROM memory_supersession z
                  WHERE z.tenant_id = p_tenant AND z.superseded_id = i.id AND z.kind = 'consolidation' OFFSET 0) s
              GROUP BY s.successor_id) b
        CROSS JOIN LATERAL (
            SELECT y.* FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = b.successor_id
              AND NOT y.is_retracted AND NOT y.is_quarantined LIMIT 1) x
        ORDER BY x.seq
    LOOP
        -- holding one of them may have held another that was built on both
        CONTINUE WHEN EXISTS (
            SELECT FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = c.id AND y.is_quarantined);
        author := (p_tenant, 'agent', c.recorded_by, c.recorder, '{}'::text[], '{}'::text[], NULL::uuid);
        PERFORM hold_target(p_tenant, 'chunk', c.id, 'consolidation', author,
            format('Built on memory %s, which is hidden.', c.seqs),
            format('Show the consolidation again. It was built on memory %s, which is hidden: does it repeat that?', c.seqs),
            greatest(1, approvals_for(p_tenant, 'revert', 'agent', c.sensitivity)));
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.hold_decisions(p_tenant uuid, p_decisions uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    me acting_context := acting(p_tenant);
    d record;
BEGIN
    FOR d IN
        SELECT x.id, approvals_for(p_tenant, 'decide', me.kind, x.sensitivity) AS approvals FROM memory_decision x
        WHERE x.tenant_id = p_tenant AND x.id = ANY (p_decisions) AND x.scope IN ('policy', 'global')
        ORDER BY x.id
    LOOP
        IF d.approvals > 0 THEN
            PERFORM hold_target(p_tenant, 'decision', d.id, 'decide', me,
                'The policy puts this decision in force after approval.', 'Put the decision in force.', d.approvals);
        END IF;
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.hold_reworded(p_tenant uuid, p_path text, p_corrected uuid[], p_new uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    runs text[];
    c record;
    author acting_context;
BEGIN
    IF p_corrected = '{}' OR p_new = '{}' THEN RETURN; END IF;
    runs := ARRAY(
        SELECT DISTINCT ' ' || array_to_string(w.said[i:i + 7], ' ') || ' '
        FROM unnest(p_corrected) t (id) CROSS JOIN LATERAL chunk_of(p_tenant, t.id) k
        CROSS JOIN LATERAL content_of(p_tenant, k.content_id) b
        CROSS JOIN LATERAL (SELECT string_to_array(normal_text(b.body), ' ') AS said) w
        CROSS JOIN LATERAL generate_series(1, greatest(cardinality(w.said) - 7, 1)) i);
    FOR c IN
        SELECT x.id, x.sensitivity, x.recorded_by, x.recorder, k.recorder_kind
        FROM unnest(p_new) t (id) CROSS JOIN LATERAL chunk_of(p_tenant, t.id) k
        CROSS JOIN LATERAL content_of(p_tenant, k.content_id) b
        CROSS JOIN LATERAL (SELECT ' ' || normal_text(b.body) || ' ' AS said OFFSET 0) w
        CROSS JOIN LATERAL (
            SELECT y.* FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = t.id
              AND NOT y.is_retracted AND NOT y.is_quarantined LIMIT 1) x
        WHERE EXISTS (SELECT FROM unnest(runs) r (run) WHERE strpos(w.said, r.run) > 0)
        ORDER BY x.id
    LOOP
        author := (p_tenant, c.recorder_kind, c.recorded_by, c.recorder, '{}'::text[], '{}'::text[], NULL::uuid);
        PERFORM hold_target(p_tenant, 'chunk', c.id, 'changed-file', author,
            format('%s changed where its memory was corrected.', left(p_path, 500)),
            format('Show this part of %s again. The file changed where its memory was corrected: does it repeat what was '
                'corrected?', left(p_path, 500)),
            greatest(1, approvals_for(p_tenant, 'revert', c.recorder_kind, c.sensitivity)));
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.hold_target(p_tenant uuid, p_type text, p_target uuid, p_policy text, p_author acting_context, p_reason text, p_release_reason text, p_approvals integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    hold uuid := new_id();
    release uuid := new_id();
    target text := format('"target_id":"%s","target_type":"%s"', p_target, p_type);
BEGIN
    -- patch_hash() of both
    INSERT INTO governance_edit (tenant_id, id, created_at, target_type, target_id, op, reason, proposer_kind,
        proposed_by, proposer, reverts_id, patch_sha256, approvals_required, policy)
    VALUES
        (p_tenant, hold, clock_timestamp(), p_type, p_target, 'quarantine', p_reason, p_author.kind, p_author.id,
         p_author.name, NULL, sha256(convert_to(format('{"op":"quarantine","patch":{},%s}', target), 'UTF8')), 0, p_policy),
        (p_tenant, release, clock_timestamp(), p_type, p_target, 'revert', p_release_reason, p_author.kind, p_author.id,
         p_author.name, hold,
         sha256(convert_to(format('{"op":"revert","patch":{"edit_id":"%s"},%s}', hold, target), 'UTF8')), p_approvals,
         (SELECT t.policy FROM governance_tenant t WHERE t.id = p_tenant));
    INSERT INTO governance_editstate (tenant_id, edit_id, status, approvals, created_at, held_by)
    VALUES (p_tenant, hold, 'pending', 0, clock_timestamp(), p_author.held_by),
        (p_tenant, release, 'pending', 0, clock_timestamp(), p_author.held_by);
    INSERT INTO governance_verdict (tenant_id, id, edit_id, decision, decider_kind, decider, decided_at, reason,
        proposed_by, patch_sha256)
    SELECT p_tenant, new_id(), e.id, 'approved', 'policy', 'policy:' || p_policy, clock_timestamp(), '', p_author.id,
        e.patch_sha256
    FROM governance_edit e WHERE e.tenant_id = p_tenant AND e.id = hold;
    PERFORM owe_entry(p_tenant, 'edit.approved', hold::text), owe_entry(p_tenant, 'edit.proposed', release::text);
    PERFORM lock_target(p_tenant, p_type, p_target);
    PERFORM apply_edit(p_tenant, hold, 'policy:' || p_policy);
END $function$

-- owner suture_owner; EXECUTE to suture_gate, EXECUTE to suture_owner
CREATE OR REPLACE FUNCTION public.index_term(p_prefix text, p_term text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT p_prefix || CASE WHEN length(p_term) > 32 THEN md5(p_term) ELSE p_term END
$function$

-- owner suture_owner; EXECUTE to suture_gate, EXECUTE to suture_owner
CREATE OR REPLACE FUNCTION public.index_terms(p_tenant uuid, p_id uuid, p_ts timestamp with time zone, p_channel text, p_scope text, p_subject_type text, p_subject_id text, p_project_id text, p_session_id text, p_tsv tsvector)
 RETURNS tsvector
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    prefix text := term_prefix(p_tenant);
    span bigint := time_span(p_ts, 0);
    chance int := get_byte(uuid_send(p_id), 14) << 8 | get_byte(uuid_send(p_id), 15);
    terms text[] := ARRAY[
        '', ' time 0 ' || span, ' time 1 ' || (span >> 3), ' time 2 ' || (span >> 6), ' time 3 ' || (span >> 9),
        ' time 4 ' || (span >> 12), ' time 5 ' || (span >> 15),
        ' channel ' || p_channel, ' scope ' || p_scope, ' subject_type ' || p_subject_type,
        ' subject_id ' || p_subject_id, ' project_id ' || p_project_id, ' session_id ' || p_session_id,
        CASE WHEN chance % 64 = 0 THEN ' one in 64' END, CASE WHEN chance % 512 = 0 THEN ' one in 512' END,
        CASE WHEN length(p_tsv) > 7000 THEN ' many words' END];
BEGIN
    IF length(p_tsv) <= 7000 THEN terms := terms || tsvector_to_array(p_tsv); END IF;
    RETURN array_to_tsvector(ARRAY(SELECT index_term(prefix, t) FROM unnest(terms) t WHERE t IS NOT NULL));
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.insert_capsule(c capsules_capsule, p_items json, p_audience uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    INSERT INTO capsules_capsule SELECT c.*;
    INSERT INTO capsules_capsuleitem (tenant_id, id, capsule_id, position, kind, item_id)
    SELECT c.tenant_id, new_id(), c.id, i.at, i.kind, i.id
    FROM json_to_recordset(p_items) AS i (at int, kind text, id uuid);
    INSERT INTO capsules_capsuleaudience (tenant_id, id, capsule_id, agent_id, expires_at)
    SELECT c.tenant_id, new_id(), c.id, a, c.expires_at FROM unnest(p_audience) a;
    INSERT INTO capsules_effectivecapsule (tenant_id, id, scope, subject_type, subject_id, project_id, author_kind,
        authored_by, author, created_at, expires_at, sensitivity, may_forward, note_id, risks_id, forwards_id,
        item_count, audience_count, status, importance, is_retracted, is_quarantined, blocked_channels, edits_applied)
    VALUES (c.tenant_id, c.id, c.scope, c.subject_type, c.subject_id, c.project_id, c.author_kind, c.authored_by,
        c.author, c.created_at, c.expires_at, c.sensitivity, c.may_forward, c.note_id, c.risks_id, c.forwards_id,
        json_array_length(p_items), cardinality(p_audience), 'active', 0.5, false, false, '{}', 0);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.invite_person(p_tenant uuid, p_name text, p_roles text[], OUT invitation_id uuid, OUT refusal text)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE me acting_context := acting_manager(p_tenant);
BEGIN
    IF p_name = me.name AND me.kind = 'human' THEN refusal := 'own_role'; RETURN; END IF;
    IF EXISTS (
        SELECT FROM governance_membership m JOIN governance_user u ON u.id = m.user_id
        WHERE m.tenant_id = p_tenant AND m.is_active AND u.username = p_name)
    THEN
        refusal := 'is_member'; RETURN;
    END IF;
    UPDATE governance_invitation i SET status = 'withdrawn', answered_at = clock_timestamp()
    WHERE i.tenant_id = p_tenant AND i.username = p_name AND i.status = 'pending';
    invitation_id := new_id();
    INSERT INTO governance_invitation (tenant_id, id, username, roles, invited_by, inviter, status, created_at, expires_at)
    VALUES (p_tenant, invitation_id, p_name, p_roles, me.id, me.name, 'pending', clock_timestamp(),
        clock_timestamp() + interval '14 days');
    PERFORM owe_entry(p_tenant, 'person.invited', invitation_id::text);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.is_about(x memory_effectivechunk, p_channels text[], p_scope text, p_subject_type text, p_subject_id text, p_project_id text, p_session_id text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT x.channel = ANY (p_channels)
       AND (p_scope IS NULL OR x.scope = p_scope)
       AND (p_subject_type IS NULL OR x.subject_type = p_subject_type)
       AND (p_subject_id IS NULL OR x.subject_id = p_subject_id)
       AND (p_project_id IS NULL OR x.project_id = p_project_id)
       AND (p_session_id IS NULL OR x.session_id = p_session_id)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.is_capsule_listed(x capsules_effectivecapsule, p_listening text[], p_include_quarantined boolean)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT CASE WHEN why_capsule_hidden(x, p_listening, '{}', p_include_quarantined) = 'sensitivity'
        THEN true ELSE false END
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.is_content(p_tenant uuid, p_content uuid, p_text text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE c governance_content;
BEGIN
    IF p_content IS NULL OR p_text IS NULL THEN RETURN p_content IS NULL AND p_text IS NULL; END IF;
    SELECT * INTO c FROM governance_content y WHERE y.tenant_id = p_tenant AND y.id = p_content;
    RETURN NOT FOUND OR c.sha256 = sha256(c.salt || convert_to(p_text, 'UTF8'));
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.is_context_pending(k memory_chunk)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
    RETURN EXISTS (SELECT FROM memory_pendingcontext p WHERE p.tenant_id = k.tenant_id AND p.id = k.id)
        OR EXISTS (SELECT FROM neighbours_of(k, '{}') n
                   JOIN memory_pendingcontext p ON p.tenant_id = k.tenant_id AND p.id = n.chunk_id);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.is_counted(x memory_effectivechunk)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
    SELECT is_seen(x, '{private,public,team,agent}', '{private,public,team,agent,none,low}', false)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.is_edited_away(x memory_effectivechunk)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT x.is_retracted OR x.is_quarantined OR x.blocked_channels <> '{}'
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.is_found(x memory_effectivechunk, f search_filter)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
    SELECT is_seen(x, (f).listening, (f).sensitivities, (f).include_quarantined)
       AND ((f).include_archived OR x.tier <> 'archive')
       AND ((f).without_recorders IS NULL OR x.recorder <> ALL ((f).without_recorders))
       AND is_about(x, (f).channels, (f).scope, (f).subject_type, (f).subject_id, (f).project_id, (f).session_id)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.is_heard_by(p_tenant uuid, x memory_effectivechunk)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    RETURN EXISTS (
        SELECT FROM unnest(me.channels) c (name)
        WHERE why_hidden(false, false, x.blocked_channels, false, x.channel, x.sensitivity, ARRAY[c.name],
            sensitivities_heard(p_tenant, ARRAY[c.name]), true) IS NULL);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.is_placed_now(p_tenant uuid, p_chunk uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
    RETURN EXISTS (
        SELECT FROM memory_fileplacement p
        CROSS JOIN LATERAL (
            SELECT y.* FROM memory_fileversion y
            WHERE y.tenant_id = p_tenant AND y.placed_by = p.version_id OFFSET 0) v
        CROSS JOIN LATERAL latest_of_file(p_tenant, v.recorded_by, v.session_id, v.file_path) l
        WHERE p.tenant_id = p_tenant AND p.chunk_id = p_chunk AND l.id = v.id);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.is_question(p_text text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT right(rtrim(right(p_text, 100), E' \t\r\n"'')]\u201D\u2019\u00BB'), 1) IN ('?', U&'\FF1F', U&'\061F')
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.is_removed_about(v memory_removedvalue, p_subject_type text, p_subject_id text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT v.names_subject OR v.subject_id IS NULL OR p_subject_id IS NULL
        OR (v.subject_type = p_subject_type AND v.subject_id = p_subject_id)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.is_said_in(p_words text[], p_marks text[], p_first integer, p_last integer, p_reach text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    signs constant text := '[!"#$%&''()*+,./:;<=>?@\[\\^_|~-]|\]|[\u2032\u2033\u00A2-\u00A9\u00AC\u00B0\u00B1\u00D7\u00F7]'
        '|[\u2030-\u2034\u20A0-\u20CF\u2190-\u22FF]';
    multiples constant text[] := '{hundred,thousand,million,billion,trillion,dozen,percent,k,m,mio,bn,mrd}';
    negations constant text[] :=
        '{not,no,never,none,nobody,nothing,neither,nor,without,cannot,t,false,untrue,wrong,nicht,kein,keine,nie}';
    before text := CASE WHEN p_first > 1 AND p_marks[p_first] = '' THEN p_words[p_first - 1] END;
    after text := CASE WHEN p_last < cardinality(p_words) AND p_marks[p_last + 1] = '' THEN p_words[p_last + 1] END;
    place int;
BEGIN
    IF p_reach = 'sentence' THEN
        RETURN (p_first = 1 OR p_marks[p_first] = '.')
            AND (p_last = cardinality(p_words) OR p_marks[p_last + 1] = '.');
    END IF;
    IF before ~ signs OR after ~ signs OR after = 's'
        OR (p_words[p_last] ~ '[0-9]$' AND (after ~ '^[0-9]' OR after = ANY (multiples)))
        OR (p_words[p_first] ~ '^[0-9]' AND before ~ '[0-9]$')
    THEN RETURN false; END IF;
    place := p_first;
    WHILE place > 1 AND p_marks[place] = '' LOOP
        place := place - 1;
        IF p_words[place] = ANY (negations) THEN RETURN false; END IF;
    END LOOP;
    place := p_last;
    WHILE place < cardinality(p_words) AND p_marks[place + 1] = '' LOOP
        place := place + 1;
        IF p_words[place] = ANY (negations) THEN RETURN false; END IF;
    END LOOP;
    RETURN true;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.is_same_lex(p_one sparsevec, p_other sparsevec)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT CASE WHEN num_nonnulls(p_one, p_other) = 2 THEN p_one <-> p_other < 0.001
        ELSE num_nonnulls(p_one, p_other) = 0 END
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.is_seen(x memory_effectivechunk, p_listening text[], p_sensitivities text[], p_include_quarantined boolean)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
    SELECT NOT x.is_retracted AND x.superseded_by IS NULL
       AND CASE WHEN why_chunk_hidden(x, p_listening, p_sensitivities, p_include_quarantined) IS NULL
           THEN true ELSE false END
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.is_seen_in_chain(x memory_effectivechunk, p_listening text[], p_sensitivities text[], p_include_quarantined boolean, p_include_superseded boolean)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
    SELECT NOT x.is_retracted AND (x.expires_at <= statement_timestamp()) IS NOT TRUE
       AND (x.superseded_by IS NULL OR x.is_superseded AND p_include_superseded)
       AND CASE WHEN why_hidden(false, false, x.blocked_channels, x.is_quarantined, x.channel, x.sensitivity,
           p_listening, p_sensitivities, p_include_quarantined) IS NULL THEN true ELSE false END
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.is_staged(p_tenant uuid, p_chunk uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
    RETURN EXISTS (
        SELECT FROM memory_fileplacement p WHERE p.tenant_id = p_tenant AND p.chunk_id = p_chunk AND NOT EXISTS (
            SELECT FROM memory_fileversion v WHERE v.tenant_id = p_tenant AND v.id = p.version_id));
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.is_superuser(p_user uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
    SELECT EXISTS (SELECT FROM governance_user u WHERE u.id = p_user AND u.is_superuser AND u.is_active)
$function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.issue_key(p_tenant uuid, p_agent uuid, p_user uuid, p_prefix text, p_digest bytea, p_expires_at timestamp with time zone, OUT key_id uuid, OUT refusal text)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE me acting_context := acting_manager(p_tenant);
BEGIN
    IF p_agent IS NOT NULL AND NOT EXISTS (
        SELECT FROM governance_agent a WHERE a.tenant_id = p_tenant AND a.id = p_agent AND a.is_active)
    THEN
        refusal := 'agent_inactive'; RETURN;
    END IF;
    IF p_user <> me.id AND me.kind <> 'system' THEN refusal := 'key_of_another'; RETURN; END IF;
    key_id := new_id();
    INSERT INTO governance_apikey (tenant_id, id, agent_id, user_id, issued_by, prefix, digest, created_at, expires_at)
    VALUES (p_tenant, key_id, p_agent, p_user, CASE me.kind WHEN 'human' THEN me.id END, p_prefix, p_digest,
        clock_timestamp(), p_expires_at);
    PERFORM owe_entry(p_tenant, 'key.issued', key_id::text);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.judge_promotions(p_tenant uuid, p_chunks uuid[], p_now timestamp with time zone)
 RETURNS TABLE(chunk_id uuid, tier text, wanted_tier text, failed text, due_at timestamp with time zone, number integer, is_derived_from boolean, evidence jsonb)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
DECLARE
    v_tenant uuid := p_tenant;
    rules jsonb := promotion_rules(p_tenant) - 'promoting_agents';
    uses_needed bigint := (rules ->> 'uses_in_session')::bigint;
    sessions_needed bigint := (rules ->> 'sessions')::bigint;
    successes_needed int := (rules ->> 'successes')::int;
    least_confidence numeric := (rules ->> 'confidence')::numeric;
    least_trust numeric := (rules ->> 'low_trust')::numeric;
    -- hours, because a day of a time zone may have 23
    kept interval := make_interval(hours => 24 * (rules ->> 'confidence_days')::int);
    unused interval := make_interval(hours => 24 * (rules ->> 'unused_days')::int);
BEGIN
    RETURN QUERY
    SELECT j.id, j.tier, j.wanted, j.failed,
        CASE j.failed WHEN 'confidence_days' THEN j.confident_since + kept
            WHEN 'unused_days' THEN j.unused_since + unused + interval '1 microsecond' END,
        j.number, j.is_superseded,
        jsonb_strip_nulls(jsonb_build_object('sessions', j.sessions, 'uses_in_session', j.in_session, 'uses', j.uses,
            'successes', j.successes, 'failures', j.failures, 'confidence', trim_scale(j.confidence),
            'trust', trim_scale(j.trust), 'confident_since', j.confident_since, 'last_accessed', j.last_accessed,
            'unused_since', j.unused_since, 'counted_since', j.counted_since, 'thresholds', rules))
    FROM (
        SELECT f.*, CASE
            WHEN f.tier = 'archive' THEN 'by_hand'
            WHEN f.hidden IS NOT NULL THEN f.hidden
            WHEN f.tier = 'longterm' AND f.is_core THEN 'core'
            WHEN f.tier = 'longterm' AND NOT f.unused_since < p_now - unused THEN 'unused_days'
            WHEN f.tier <> 'longterm' AND f.trust < least_trust THEN 'low_trust'
            WHEN f.tier = 'task' AND f.in_session < uses_needed THEN 'uses_in_session'
            WHEN f.tier = 'session' AND f.sessions < sessions_needed THEN 'sessions'
            WHEN f.tier = 'session' AND f.successes < successes_needed THEN 'successes'
            WHEN f.tier = 'session' AND (f.trust < least_confidence OR f.confident_since IS NULL) THEN 'confidence'
            WHEN f.tier = 'session' AND f.confident_since > p_now - kept THEN 'confidence_days' END AS failed
        FROM (
            SELECT x.id, x.tier, x.is_superseded, x.is_core OR x.block_label IS NOT NULL AS is_core,
                CASE x.tier WHEN 'task' THEN 'session' WHEN 'longterm' THEN 'archive' ELSE 'longterm' END AS wanted,
                CASE WHEN x.is_retracted THEN 'retracted' WHEN x.is_quarantined THEN 'quarantined'
                     WHEN x.superseded_by IS NOT NULL THEN 'superseded' WHEN x.expires_at <= p_now THEN 'expired'
                     END AS hidden,
                coalesce(m.number, 0) + 1 AS number, m.counted_since,
                s.sessions, coalesce(s.in_session, 0) AS in_session,
                coalesce(a.access_count, 0) AS uses, coalesce(a.successes, 0) AS successes,
                coalesce(a.failures, 0) AS failures, coalesce(a.confidence, 0.5) AS confidence, a.last_accessed,
                CASE WHEN x.source = 'consolidation' THEN trust_of(v_tenant, x.id) ELSE coalesce(a.confidence, 0.5)
                    END AS trust,
                CASE WHEN x.tier = 'session' THEN trusted_since(v_tenant, x.id, least_confidence) END AS confident_since,
                CASE WHEN x.tier = 'longterm' THEN greatest(a.last_accessed, coalesce(m.at, x.ts)) END AS unused_since
            FROM unnest(p_chunks) i (id)
            CROSS JOIN LATERAL (
                SELECT y.id, y.tier, y.is_superseded, y.is_core, y.block_label, y.is_retracted, y.is_quarantined,
                    y.superseded_by, y.expires_at, y.source, y.ts
                FROM memory_effectivechunk y WHERE y.tenant_id = v_tenant AND y.id = i.id LIMIT 1) x
            -- after a move down by hand only the uses since then count, or the next evaluation would undo it
            LEFT JOIN LATERAL (
                SELECT p.number, p.at, CASE WHEN p.kind = 'manual' AND p.to_tier IN ('task', 'session')
                    AND array_position('{task,session,longterm,archive}', p.to_tier)
                        < array_position('{task,session,longterm,archive}', p.from_tier) THEN p.at END AS counted_since
                FROM memory_promotion p WHERE p.tenant_id = v_tenant AND p.chunk_id = x.id
                ORDER BY p.number DESC LIMIT 1) m ON true
            LEFT JOIN LATERAL (
                SELECT y.access_count, y.last_accessed, y.confidence, y.successes, y.failures FROM memory_chunkaccess y
                WHERE y.tenant_id = v_tenant AND y.id = x.id LIMIT 1) a ON true
            CROSS JOIN LATERAL (
                SELECT count(*) AS sessions, max(y.access_count) FILTER (
                    WHERE m.counted_since IS NULL OR y.first_accessed > m.counted_since) AS in_session
                FROM memory_chunksession y WHERE y.tenant_id = v_tenant AND y.chunk_id = x.id
                  AND (m.counted_since IS NULL OR y.last_accessed > m.counted_since)) s
        ) f
    ) j;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.judged_chunks(p_tenant uuid, p_ids uuid[], q search_question, w term_weights, f search_filter, m search_meaning)
 RETURNS SETOF judged_chunk
 LANGUAGE plpgsql
 STABLE ROWS 100
AS $function$
DECLARE
    v_tenant uuid := p_tenant;
    named tsquery := coalesce(any_term(q.terms), '');
BEGIN
    RETURN QUERY
    WITH said AS MATERIALIZED (
        SELECT x.*, e.actor_id, coalesce(is_question(span_of(c.body, x.span_start, x.span_end)), false) AS is_question
        FROM (SELECT DISTINCT i.id FROM unnest(p_ids) i (id)) i
        CROSS JOIN LATERAL (
            SELECT y.id, y.importance, y.ts, y.event_id, y.content_id, y.span_start, y.span_end,
                word_score(y.lex, y.tsv, w) AS score, y.tsv @@ q.matching AS is_match
            FROM memory_effectivechunk y
            WHERE y.tenant_id = v_tenant AND y.id = i.id AND is_found(y, f)
              AND (numnode(q.required) = 0 OR y.tsv @@ q.required) LIMIT 1) x
        LEFT JOIN LATERAL (SELECT k.body FROM content_of(v_tenant, x.content_id) k WHERE q.is_open LIMIT 1) c ON true
        LEFT JOIN LATERAL event_of(v_tenant, x.event_id) e ON true
    ), speaker AS MATERIALIZED (  -- few people say much
        SELECT a.actor_id, to_tsvector(q.language, a.actor_id) @@ named AS is_named
        FROM (SELECT DISTINCT s.actor_id FROM said s) a
    )
    SELECT s.id, s.importance, s.ts, s.score * CASE WHEN p.is_named THEN 1.1 ELSE 1 END, s.is_match,
        coalesce(p.is_named, false), meant.score, s.is_question
    FROM said s LEFT JOIN speaker p ON p.actor_id = s.actor_id
    LEFT JOIN semantic_scores(v_tenant, p_ids, m) meant ON meant.chunk_id = s.id;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate, EXECUTE to suture_owner
CREATE OR REPLACE FUNCTION public.known_signing_key()
 RETURNS TABLE(fingerprint text, origin text, is_pinned boolean)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
    SELECT s.fingerprint, s.origin,
        s.name IS NOT NULL OR EXISTS (SELECT FROM governance_chain c WHERE c.public_key IS NOT NULL)
    FROM (SELECT) always LEFT JOIN governance_sharedsecret s ON s.name = 'signing_key'
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.labels_heard(p_tenant uuid, p_listening text[], p_include_quarantined boolean)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE me acting_context;
BEGIN
    IF p_include_quarantined THEN
        me := acting(p_tenant);
        IF me.kind = 'agent' AND NOT 'quarantine_reader' = ANY (me.roles) THEN
            RAISE EXCEPTION 'agent % may not read quarantined memory; leave out include_quarantined, or ask an admin of the'
                ' tenant to allow the agent to read it', me.name
                USING ERRCODE = 'SU403', CONSTRAINT = 'quarantine_not_allowed';
        END IF;
    END IF;
    RETURN sensitivities_heard(p_tenant, p_listening);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.latest_of_file(p_tenant uuid, p_recorder uuid, p_session text, p_path text)
 RETURNS SETOF memory_fileversion
 LANGUAGE sql
 STABLE
AS $function$
    SELECT v.* FROM memory_fileversion v
    WHERE v.tenant_id = p_tenant AND v.recorded_by = p_recorder AND v.session_id = p_session AND v.file_path = p_path
    ORDER BY v.number DESC LIMIT 1
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.leaf_hash(p_row jsonb)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$ SELECT sha256('\x00'::bytea || convert_to(p_row::text, 'UTF8')) $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.leaves_of_access(p_tenant uuid, p_ids uuid[])
 RETURNS TABLE(id uuid, leaf jsonb)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT a.id, jsonb_build_array('access/1', a.tenant_id, a.id, microseconds(a.at), a.actor_kind, a.actor_id,
        a.actor, a.action, a.target_type, a.target_id, a.outcome, a.details)
    FROM governance_accessrecord a
    WHERE a.tenant_id = p_tenant AND a.id = ANY (p_ids)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.leaves_of_agent_memory(p_tenant uuid, p_ids uuid[])
 RETURNS TABLE(id uuid, leaf jsonb)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT m.id, jsonb_build_array('agent_memory/1', m.tenant_id, m.id, m.agent_id, m.seq, m.type, m.reason,
        m.block_label, m.version, m.previous_block_seq, m.is_core, microseconds(m.expires_at), ARRAY(
            SELECT s.superseded_seq FROM memory_supersession s
            WHERE s.tenant_id = p_tenant AND s.successor_id = m.id ORDER BY 1))
    FROM memory_agentmemory m
    WHERE m.tenant_id = p_tenant AND m.id = ANY (p_ids)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.leaves_of_artifact(p_tenant uuid, p_ids uuid[])
 RETURNS TABLE(id uuid, leaf jsonb)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT a.id, jsonb_build_array('artifact/1', a.tenant_id, a.id,
        scope_leaf(a.scope, a.subject_type, a.subject_id, a.project_id, a.session_id, a.channel, a.sensitivity, a.ts),
        a.event_id, a.content_id, (SELECT sha.hex FROM content_digest(p_tenant, a.content_id) sha), a.media_type)
    FROM memory_artifact a
    WHERE a.tenant_id = p_tenant AND a.id = ANY (p_ids)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.leaves_of_capsule(p_tenant uuid, p_ids uuid[])
 RETURNS TABLE(id uuid, leaf jsonb)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT c.id, jsonb_build_array('capsule/1', c.tenant_id, c.id, c.scope, c.subject_type, c.subject_id, c.project_id,
        c.author_kind, c.authored_by, c.author, microseconds(c.created_at), microseconds(c.expires_at), c.sensitivity,
        c.may_forward, c.note_id, (SELECT sha.hex FROM content_digest(p_tenant, c.note_id) sha),
        c.risks_id, (SELECT sha.hex FROM content_digest(p_tenant, c.risks_id) sha),
        c.ttl_days, c.forwards_id)
    FROM capsules_capsule c
    WHERE c.tenant_id = p_tenant AND c.id = ANY (p_ids)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.leaves_of_capsule_audience(p_tenant uuid, p_ids uuid[])
 RETURNS TABLE(id uuid, leaf jsonb)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT a.id, jsonb_build_array('capsule_audience/1', a.tenant_id, a.id, a.capsule_id, a.agent_id,
        microseconds(a.expires_at))
    FROM capsules_capsuleaudience a
    WHERE a.tenant_id = p_tenant AND a.id = ANY (p_ids)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.leaves_of_capsule_item(p_tenant uuid, p_ids uuid[])
 RETURNS TABLE(id uuid, leaf jsonb)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT i.id, jsonb_build_array('capsule_item/1', i.tenant_id, i.id, i.capsule_id, i.position, i.kind, i.item_id)
    FROM capsules_capsuleitem i
    WHERE i.tenant_id = p_tenant AND i.id = ANY (p_ids)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.leaves_of_capture(p_tenant uuid, p_ids uuid[])
 RETURNS TABLE(id uuid, leaf jsonb)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT c.id, jsonb_build_array('capture/1', c.tenant_id, c.id, c.session_id, c.source, c.hook_type, c.tool_name,
        c.response_type, c.response_id, c.file_path, c.word_offset)
    FROM memory_capture c
    WHERE c.tenant_id = p_tenant AND c.id = ANY (p_ids)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.leaves_of_capture_removal(p_tenant uuid, p_ids uuid[])
 RETURNS TABLE(id uuid, leaf jsonb)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT r.id, jsonb_build_array('capture_removal/1', r.tenant_id, r.id, r.chunk_id, r.remover_kind, r.removed_by,
        r.remover, microseconds(r.removed_at))
    FROM memory_captureremoval r
    WHERE r.tenant_id = p_tenant AND r.id = ANY (p_ids)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.leaves_of_checkpoint(p_tenant uuid, p_ids uuid[])
 RETURNS TABLE(id uuid, leaf jsonb)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT c.id, jsonb_build_array('checkpoint/1', c.tenant_id, c.id, c.running_id, c.session_id, c.turn, c.depth,
        c.format_version, c.kind, c.size, c.stored_size, encode(c.sha256, 'hex'), encode(c.state_sha256, 'hex'),
        c.path, c.agent_id, c.agent, microseconds(c.created_at))
    FROM memory_checkpoint c
    WHERE c.tenant_id = p_tenant AND c.id = ANY (p_ids)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.leaves_of_checkpoint_removal(p_tenant uuid, p_ids uuid[])
 RETURNS TABLE(id uuid, leaf jsonb)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT r.id, jsonb_build_array('checkpoint_removal/1', r.tenant_id, r.id, r.checkpoint_id, r.reason, r.erasure_id,
        r.remover_kind, r.removed_by, r.remover, microseconds(r.removed_at))
    FROM memory_checkpointremoval r
    WHERE r.tenant_id = p_tenant AND r.id = ANY (p_ids)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.leaves_of_chunk(p_tenant uuid, p_ids uuid[])
 RETURNS TABLE(id uuid, leaf jsonb)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT k.id, jsonb_build_array('chunk/1', k.tenant_id, k.id,
        scope_leaf(k.scope, k.subject_type, k.subject_id, k.project_id, k.session_id, k.channel, k.sensitivity, k.ts),
        k.event_id, k.source, k.content_id, (SELECT sha.hex FROM content_digest(p_tenant, k.content_id) sha),
        k.span_start, k.span_end,
        k.chunk_index, k.total_chunks, k.importance, k.tags, k.retention, k.recorder_kind, k.recorded_by, k.recorder)
    FROM memory_chunk k
    WHERE k.tenant_id = p_tenant AND k.id = ANY (p_ids)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.leaves_of_confidence_change(p_tenant uuid, p_ids uuid[])
 RETURNS TABLE(id uuid, leaf jsonb)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT c.id, jsonb_build_array('confidence_change/1', c.tenant_id, c.id, c.chunk_id, c.number, c.kind, c.before, c.after,
        c.outcome_id, c.is_failure, c.reason, c.changer_kind, c.changed_by, c.changer, microseconds(c.at))
    FROM memory_confidencechange c
    WHERE c.tenant_id = p_tenant AND c.id = ANY (p_ids)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.leaves_of_context_bundle(p_tenant uuid, p_ids uuid[])
 RETURNS TABLE(id uuid, leaf jsonb)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT b.id, jsonb_build_array('context_bundle/1', b.tenant_id, b.id, microseconds(b.built_at), b.actor_kind,
        b.actor_id, b.actor, b.request, encode(b.query_hash, 'hex'),
        encode(sha256(convert_to(b.items::text, 'UTF8')), 'hex'),
        encode(sha256(convert_to(b.omissions::text, 'UTF8')), 'hex'), b.total_tokens, b.edits_applied)
    FROM memory_contextbundle b
    WHERE b.tenant_id = p_tenant AND b.id = ANY (p_ids)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.leaves_of_decision(p_tenant uuid, p_ids uuid[])
 RETURNS TABLE(id uuid, leaf jsonb)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT d.id, jsonb_build_array('decision/1', d.tenant_id, d.id,
        scope_leaf(d.scope, d.subject_type, d.subject_id, d.project_id, d.session_id, d.channel, d.sensitivity, d.ts),
        d.event_id, d.content_id, (SELECT sha.hex FROM content_digest(p_tenant, d.content_id) sha),
        d.details_id, (SELECT sha.hex FROM content_digest(p_tenant, d.details_id) sha), d.supersedes_id)
    FROM memory_decision d
    WHERE d.tenant_id = p_tenant AND d.id = ANY (p_ids)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.leaves_of_delivery(p_tenant uuid, p_ids uuid[])
 RETURNS TABLE(id uuid, leaf jsonb)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT d.id, jsonb_build_array('delivery/1', d.tenant_id, d.id, d.chunk_id, d.version, d.receiver_kind,
        d.receiver_id, d.receiver, d.means, d.session_id, microseconds(d.at))
    FROM memory_delivery d
    WHERE d.tenant_id = p_tenant AND d.id = ANY (p_ids)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.leaves_of_edit(p_tenant uuid, p_ids uuid[])
 RETURNS TABLE(id uuid, leaf jsonb)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT e.id, jsonb_build_array('edit/1', e.tenant_id, e.id, microseconds(e.created_at), e.target_type,
        e.target_id, e.op, e.reason, e.proposer_kind, e.proposed_by, e.proposer,
        (SELECT sha.hex FROM content_digest(p_tenant, e.content_id) sha),
        e.importance, e.importance_delta, e.channel, e.reverts_id, encode(e.patch_sha256, 'hex'),
        e.approvals_required, e.policy, e.batch_id)
    FROM governance_edit e
    WHERE e.tenant_id = p_tenant AND e.id = ANY (p_ids)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.leaves_of_event(p_tenant uuid, p_ids uuid[])
 RETURNS TABLE(id uuid, leaf jsonb)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT e.id, jsonb_build_array('event/1', e.tenant_id, e.id,
        scope_leaf(e.scope, e.subject_type, e.subject_id, e.project_id, e.session_id, e.channel, e.sensitivity, e.ts),
        e.actor_type, e.actor_id, e.kind, e.tags, e.refs, e.redacted, e.retention,
        e.content_id, (SELECT sha.hex FROM content_digest(p_tenant, e.content_id) sha),
        e.fields_id, (SELECT sha.hex FROM content_digest(p_tenant, e.fields_id) sha),
        e.recorder_kind, e.recorded_by, e.recorder, microseconds(e.recorded_at))
    FROM memory_event e
    WHERE e.tenant_id = p_tenant AND e.id = ANY (p_ids)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.leaves_of_file_version(p_tenant uuid, p_ids uuid[])
 RETURNS TABLE(id uuid, leaf jsonb)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT v.id, jsonb_build_array('file_version/1', v.tenant_id, v.id, v.session_id, v.file_path, v.number, v.change,
        v.file_hash, v.total_chunks, v.placed_by, v.recorder_kind, v.recorded_by, v.recorder, microseconds(v.ts), (
            SELECT encode(sha256(convert_to(coalesce(string_agg(concat_ws(' ', p.id, p.chunk_id, p.chunk_index,
                p.word_offset, p.text_start, p.text_end), E'\n' ORDER BY p.chunk_index), ''), 'UTF8')), 'hex')
            FROM memory_fileplacement p WHERE p.tenant_id = p_tenant AND p.version_id = v.id))
    FROM memory_fileversion v
    WHERE v.tenant_id = p_tenant AND v.id = ANY (p_ids)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.leaves_of_operation_done(p_tenant uuid, p_ids uuid[])
 RETURNS TABLE(id uuid, leaf jsonb)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT o.id, jsonb_build_array('operation_done/1', o.tenant_id, o.id, o.checkpoint_id, o.operation_id, o.note,
        o.agent_id, o.agent, microseconds(o.done_at))
    FROM memory_operationdone o
    WHERE o.tenant_id = p_tenant AND o.id = ANY (p_ids)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.leaves_of_outcome(p_tenant uuid, p_ids uuid[])
 RETURNS TABLE(id uuid, leaf jsonb)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT o.id, jsonb_build_array('outcome/1', o.tenant_id, o.id, o.chunk_id, o.version, o.outcome, o.session_id, o.note,
        o.reporter_kind, o.reported_by, o.reporter, microseconds(o.at))
    FROM memory_outcome o
    WHERE o.tenant_id = p_tenant AND o.id = ANY (p_ids)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.leaves_of_promotion(p_tenant uuid, p_ids uuid[])
 RETURNS TABLE(id uuid, leaf jsonb)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT m.id, jsonb_build_array('promotion/1', m.tenant_id, m.id, m.chunk_id, m.number, m.kind, m.from_tier, m.to_tier,
        m.reason, m.evidence, m.promoter_kind, m.promoted_by, m.promoter, microseconds(m.at))
    FROM memory_promotion m
    WHERE m.tenant_id = p_tenant AND m.id = ANY (p_ids)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.leaves_of_task(p_tenant uuid, p_ids uuid[])
 RETURNS TABLE(id uuid, leaf jsonb)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT t.id, jsonb_build_array('task/1', t.tenant_id, t.id,
        scope_leaf(t.scope, t.subject_type, t.subject_id, t.project_id, t.session_id, t.channel, t.sensitivity, t.ts),
        t.task_id, t.event_id, t.status, t.content_id, (SELECT sha.hex FROM content_digest(p_tenant, t.content_id) sha),
        t.details_id, (SELECT sha.hex FROM content_digest(p_tenant, t.details_id) sha))
    FROM memory_task t
    WHERE t.tenant_id = p_tenant AND t.id = ANY (p_ids)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.leaves_of_verdict(p_tenant uuid, p_ids uuid[])
 RETURNS TABLE(id uuid, leaf jsonb)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT v.id, jsonb_build_array('verdict/1', v.tenant_id, v.id, v.edit_id, v.decision, v.decider_kind,
        v.decided_by, v.decider, microseconds(v.decided_at), v.reason, v.proposed_by, encode(v.patch_sha256, 'hex'))
    FROM governance_verdict v
    WHERE v.tenant_id = p_tenant AND v.id = ANY (p_ids)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.ledger_digests()
 RETURNS TABLE(tenant_id uuid, state bytea)
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET enable_hashjoin TO 'on'
 SET enable_mergejoin TO 'on'
 SET enable_seqscan TO 'on'
AS $function$
    SELECT t.id, sha256(convert_to(concat_ws('|', m.size, m.root, c.heads), 'UTF8'))
    FROM governance_tenant t LEFT JOIN governance_merkletree m ON m.tenant_id = t.id
    LEFT JOIN (
        SELECT h.tenant_id, string_agg(concat_ws(' ', h.name, h.seq, h.head, h.public_key), '|' ORDER BY h.name) AS heads
        FROM governance_chain h WHERE h.seq >= 0 GROUP BY h.tenant_id) c ON c.tenant_id = t.id
$function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.ledger_states(p_token text, p_tenants uuid[])
 RETURNS TABLE(tenant_id uuid, size bigint, root bytea, chains text[], seqs bigint[], heads bytea[], public_keys bytea[])
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
BEGIN
    IF token_bearer(p_token) IS NOT NULL THEN
        RAISE EXCEPTION 'only the operator can seal' USING ERRCODE = 'SU403';
    END IF;
    RETURN QUERY
    SELECT i.id, coalesce(m.size, 0), m.root, c.names, c.seqs, c.heads, c.keys
    FROM unnest(p_tenants) i (id) LEFT JOIN governance_merkletree m ON m.tenant_id = i.id
    CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(h.name), '{}') AS names, coalesce(array_agg(h.seq), '{}') AS seqs,
            coalesce(array_agg(h.head), '{}') AS heads, coalesce(array_agg(h.public_key), '{}') AS keys
        FROM governance_chain h WHERE h.tenant_id = i.id AND h.seq >= 0) c;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.lends_to(n memory_effectivechunk, k memory_chunk, p_blocked text[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT NOT n.is_retracted AND n.superseded_by IS NULL AND NOT n.is_quarantined AND n.expires_at IS NULL
       AND n.blocked_channels <@ p_blocked AND could_lend_to(n, k)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.lent_words(p_tenant uuid, p_chunk uuid, p_terms text[], f search_filter)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE
    v_tenant uuid := p_tenant;
    k memory_chunk;
    blocked text[];
    own text[];
    lent jsonb;
BEGIN
    SELECT x.blocked_channels, ARRAY(SELECT t FROM unnest(p_terms) t WHERE x.tsv @@ any_term(ARRAY[t]) ORDER BY 1)
    INTO blocked, own FROM memory_effectivechunk x WHERE x.tenant_id = v_tenant AND x.id = p_chunk;
    SELECT * INTO k FROM memory_chunk c WHERE c.tenant_id = v_tenant AND c.id = p_chunk;
    SELECT jsonb_agg(jsonb_build_object('chunk_id', n.chunk_id, 'terms', n.terms) ORDER BY n.place) INTO lent
    FROM (
        SELECT s.place, s.chunk_id,
            ARRAY(SELECT t FROM unnest(p_terms) t WHERE s.tsv @@ any_term(ARRAY[t]) ORDER BY 1) AS terms
        FROM neighbours_of(k, blocked) s
        CROSS JOIN LATERAL (
            SELECT FROM memory_effectivechunk y WHERE y.tenant_id = v_tenant AND y.id = s.chunk_id
              AND is_seen(y, f.listening, f.sensitivities, f.include_quarantined) LIMIT 1) seen
        WHERE s.lends
    ) n WHERE n.terms <> '{}';
    RETURN jsonb_build_object('own', own, 'lent', coalesce(lent, '[]'));
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.lex_of_chunks(p_tenant uuid, p_chunks uuid[])
 RETURNS TABLE(id uuid, lex sparsevec)
 LANGUAGE plpgsql
 STABLE ROWS 5
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE spoken regconfig := search_language(p_tenant);
BEGIN
    RETURN QUERY
    WITH asked AS MATERIALIZED (
        SELECT k, x.tsv, x.blocked_channels,
            60.0::float8 / (60 + (SELECT coalesce(sum(cardinality(w.positions)), 0) FROM unnest(x.tsv) w)) AS lent
        FROM unnest(p_chunks) i (id)
        CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k
        CROSS JOIN LATERAL (
            SELECT y.tsv, y.blocked_channels FROM memory_effectivechunk y
            WHERE y.tenant_id = p_tenant AND y.id = i.id LIMIT 1) x
    ), fields AS (
        SELECT (a.k).id AS chunk_id, 0 AS place, 1::float8 AS weight, (a.k).id AS said_by, a.tsv FROM asked a
        UNION ALL
        SELECT (a.k).id, n.place, a.lent * CASE n.place WHEN -1 THEN 0.6 WHEN -2 THEN 0.3 WHEN 1 THEN 0.45 ELSE 0.15 END,
            n.chunk_id, n.tsv
        FROM asked a CROSS JOIN LATERAL neighbours_of(a.k, a.blocked_channels) n WHERE n.lends
    ), texts AS (
        SELECT (array_agg(f.tsv))[1] AS tsv, array_agg(f.chunk_id) AS chunks, array_agg(f.place) AS places,
            array_agg(f.weight) AS weights
        FROM fields f GROUP BY f.said_by
    ), counted AS (
        SELECT f.chunk_id, t.dim, f.weight * CASE
            WHEN f.place = 0 THEN t.n / (0.25 + 0.75 * t.length / 20)
            WHEN f.place < 0 THEN t.n_last / (0.25 + 0.75 * t.length_last / 20)
            ELSE t.n_first / (0.25 + 0.75 * t.length_first / 20) END AS tf
        FROM texts x
        CROSS JOIN LATERAL (
            SELECT term_dim(c.lexeme) AS dim, c.n, c.n_last, c.n_first,
                coalesce(sum(c.n) FILTER (WHERE c.is_word) OVER (), 0) AS length,
                sum(c.n_last) OVER () AS length_last, sum(c.n_first) OVER () AS length_first
            FROM (
                SELECT w.lexeme, w.positions IS NOT NULL AS is_word,
                    coalesce(cardinality(w.positions), 1 / 3.0::float8) AS n,
                    -- nearly every stem: without a subquery, which would cost more than all the rest
                    CASE WHEN cardinality(w.positions) = 1 THEN (w.positions[1] > w.final - 40)::int
                        ELSE (SELECT count(*) FROM unnest(w.positions) p WHERE p > w.final - 40) END AS n_last,
                    CASE WHEN cardinality(w.positions) = 1 THEN (w.positions[1] <= 40)::int
                        ELSE (SELECT count(*) FROM unnest(w.positions) p WHERE p <= 40) END AS n_first
                FROM (
                    SELECT v.lexeme, v.positions, max(v.positions[cardinality(v.positions)]) OVER () AS final
                    FROM unnest(x.tsv) v) w
                OFFSET 0  -- else each count is made twice, for itself and for the sum
            ) c
        ) t
        CROSS JOIN LATERAL unnest(x.chunks, x.places, x.weights) f (chunk_id, place, weight)
        UNION ALL
        SELECT (a.k).id, term_dim(w.lexeme), 1 FROM asked a
        CROSS JOIN LATERAL event_of(p_tenant, (a.k).event_id) e
        CROSS JOIN LATERAL unnest(to_tsvector(spoken, e.actor_id)) w
        UNION ALL
        SELECT (a.k).id, term_dim(w.lexeme), 0.3 FROM asked a
        CROSS JOIN LATERAL unnest(date_vector(spoken, (a.k).ts)) w
    ), stems AS (
        SELECT s.chunk_id, s.dim, (1.9 * s.tf / (s.tf + 0.9))::real AS value,
            row_number() OVER (PARTITION BY s.chunk_id ORDER BY s.tf DESC, s.dim) AS place
        FROM (SELECT c.chunk_id, c.dim, sum(c.tf) AS tf FROM counted c WHERE c.tf > 0 GROUP BY 1, 2) s
    ), vectors AS (
        SELECT s.chunk_id, string_agg(s.dim || ':' || s.value, ',') AS written FROM stems s
        WHERE s.place <= 16000 GROUP BY 1
    )
    SELECT (a.k).id, ('{' || coalesce(v.written, '') || '}/268435456')::sparsevec
    FROM asked a LEFT JOIN vectors v ON v.chunk_id = (a.k).id;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.link_duplicates(p_tenant uuid, p_rows json)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    held uuid[];
    linked int;
BEGIN
    PERFORM require_job(p_tenant);
    held := ARRAY(SELECT x.id FROM memory_effectivechunk x
        WHERE x.tenant_id = p_tenant AND x.id = ANY (ARRAY(
            SELECT unnest(ARRAY[r.chunk_id, r.other_id]) FROM json_to_recordset(p_rows) AS r (chunk_id uuid, other_id uuid)))
        FOR SHARE SKIP LOCKED);
    WITH link AS (
        INSERT INTO memory_duplicate (tenant_id, id, chunk_id, other_id, likeness)
        SELECT DISTINCT ON (1, 3, 4) p_tenant, new_id(), greatest(r.chunk_id, r.other_id), least(r.chunk_id, r.other_id),
            r.likeness
        FROM json_to_recordset(p_rows) AS r (chunk_id uuid, content_id uuid, span_start int, span_end int, other_id uuid,
            other_content_id uuid, other_span_start int, other_span_end int, likeness float8)
        CROSS JOIN LATERAL (
            SELECT x.content_id, x.span_start, x.span_end FROM memory_effectivechunk x
            WHERE x.tenant_id = p_tenant AND x.id = r.chunk_id AND NOT x.is_retracted AND x.superseded_by IS NULL
            LIMIT 1) k
        CROSS JOIN LATERAL (
            SELECT x.content_id, x.span_start, x.span_end FROM memory_effectivechunk x
            WHERE x.tenant_id = p_tenant AND x.id = r.other_id AND NOT x.is_retracted AND x.superseded_by IS NULL
            LIMIT 1) o
        WHERE ARRAY[r.chunk_id, r.other_id] <@ held
          AND (r.content_id, r.span_start, r.span_end) IS NOT DISTINCT FROM (k.content_id, k.span_start, k.span_end)
          AND (r.other_content_id, r.other_span_start, r.other_span_end)
              IS NOT DISTINCT FROM (o.content_id, o.span_start, o.span_end)
        ON CONFLICT (tenant_id, chunk_id, other_id) DO NOTHING
        RETURNING 1
    ) SELECT count(*) INTO linked FROM link;
    RETURN linked;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.list_agent_memories(p_tenant uuid, p_agent uuid, p_listening text[], p_include_quarantined boolean, p_include_superseded boolean, p_type text, p_block_label text, p_before bigint, p_limit integer)
 RETURNS SETOF agent_memory_row
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
DECLARE
    v_tenant uuid := p_tenant;
    heard text[] := labels_heard(p_tenant, p_listening, p_include_quarantined);
    ids uuid[];
BEGIN
    PERFORM require_own_chain(p_tenant, p_agent);
    IF p_include_superseded THEN
        ids := ARRAY(
            SELECT m.id FROM memory_agentmemory m CROSS JOIN LATERAL (
                SELECT FROM memory_effectivechunk x WHERE x.tenant_id = v_tenant AND x.id = m.id
                  AND is_seen_in_chain(x, p_listening, heard, p_include_quarantined, true) LIMIT 1) seen
            WHERE m.tenant_id = v_tenant AND m.agent_id = p_agent AND (p_before IS NULL OR m.seq < p_before)
              AND (p_type IS NULL OR m.type = p_type) AND (p_block_label IS NULL OR m.block_label = p_block_label)
            ORDER BY m.seq DESC LIMIT (SELECT p_limit));
    ELSE
        ids := ARRAY(
            SELECT x.id FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant AND x.recorded_by = p_agent AND NOT x.is_superseded AND NOT x.is_retracted
              AND x.seq IS NOT NULL AND (p_before IS NULL OR x.seq < p_before)
              AND (p_type IS NULL OR x.source = CASE p_type WHEN 'memory' THEN 'commit' ELSE p_type END)
              AND (p_block_label IS NULL OR x.block_label = p_block_label)
              AND is_seen_in_chain(x, p_listening, heard, p_include_quarantined, false)
            ORDER BY x.seq DESC LIMIT (SELECT p_limit));
    END IF;
    RETURN QUERY
    SELECT * FROM agent_memory_rows(v_tenant, ids, p_listening, heard, p_include_quarantined, p_include_superseded) r
    ORDER BY r.seq DESC;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.list_artifacts(p_tenant uuid, p_listening text[], p_channels text[], p_include_quarantined boolean, p_media_type text, p_scope text, p_subject_type text, p_subject_id text, p_project_id text, p_session_id text, p_since timestamp with time zone, p_until timestamp with time zone, p_before_ts timestamp with time zone, p_before_id uuid, p_limit integer)
 RETURNS TABLE(artifact_id uuid, name text, media_type text, ts timestamp with time zone, is_quarantined boolean, edits_applied integer, event_id uuid, scope text, subject_type text, subject_id text, project_id text, session_id text, channel text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
DECLARE
    v_tenant uuid := p_tenant;
    v_sensitivities text[] := labels_heard(p_tenant, p_listening, p_include_quarantined);
BEGIN
    RETURN QUERY
    SELECT n.id, CASE WHEN NOT m.amended THEN c.body END, n.media_type, n.ts, m.quarantined, m.edits, n.event_id,
        n.scope, n.subject_type, n.subject_id, n.project_id, n.session_id, n.channel
    FROM (
        SELECT x.* FROM memory_artifact x
        WHERE x.tenant_id = v_tenant AND x.channel = ANY (p_channels)
          AND NOT EXISTS (
              SELECT FROM effective_chunks_of(v_tenant, x.event_id) k
              WHERE why_hidden(k.is_retracted, false, k.blocked_channels, k.is_quarantined, k.channel, k.sensitivity, p_listening,
                    v_sensitivities, p_include_quarantined) IS NOT NULL)
          AND (p_media_type IS NULL OR x.media_type = p_media_type) AND (p_scope IS NULL OR x.scope = p_scope)
          AND (p_subject_type IS NULL OR x.subject_type = p_subject_type)
          AND (p_subject_id IS NULL OR x.subject_id = p_subject_id)
          AND (p_project_id IS NULL OR x.project_id = p_project_id)
          AND (p_session_id IS NULL OR x.session_id = p_session_id)
          AND (p_since IS NULL OR x.ts >= p_since) AND (p_until IS NULL OR x.ts < p_until)
          AND (p_before_ts IS NULL OR x.ts <= p_before_ts AND (x.ts < p_before_ts OR x.id < p_before_id))
        ORDER BY x.ts DESC, x.id DESC LIMIT (SELECT p_limit)
    ) n
    CROSS JOIN LATERAL content_of(v_tenant, n.content_id) c
    CROSS JOIN LATERAL (
        SELECT coalesce(bool_or(k.content_id <> r.content_id), false) AS amended,
            coalesce(bool_or(k.is_quarantined), false) AS quarantined, coalesce(sum(k.edits_applied), 0)::int AS edits
        FROM effective_chunks_of(v_tenant, n.event_id) k CROSS JOIN LATERAL chunk_of(v_tenant, k.id) r
    ) m
    ORDER BY n.ts DESC, n.id DESC;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.list_chunks(p_tenant uuid, p_listening text[], p_channels text[], p_include_quarantined boolean, p_include_archived boolean, p_scope text, p_subject_type text, p_subject_id text, p_project_id text, p_session_id text, p_tier text, p_tag text, p_since timestamp with time zone, p_until timestamp with time zone, p_before_ts timestamp with time zone, p_before_id uuid, p_limit integer)
 RETURNS SETOF chunk_row
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    v_tenant uuid := p_tenant;
    v_sensitivities text[] := labels_heard(p_tenant, p_listening, p_include_quarantined);
    v_from timestamptz := coalesce(p_before_ts, 'infinity');  -- never NULL, so that a page begins in the index
BEGIN
    -- The usual lists, of all and of one subject, have the same plan whatever is asked for, so they are planned once.
    IF num_nonnulls(p_scope, p_project_id, p_session_id, p_tier, p_tag, p_since, p_until) = 0 THEN
        IF num_nonnulls(p_subject_type, p_subject_id) = 2 THEN
            RETURN QUERY
            SELECT x.id, x.text, x.importance, x.ts, x.edits_applied, x.is_retracted, x.is_quarantined, x.event_id,
                x.session_id, x.scope, x.subject_type, x.subject_id, x.project_id, x.channel, x.tier, x.source,
                x.recorder, x.tags
            FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant AND x.subject_type = p_subject_type AND x.subject_id = p_subject_id
              AND is_seen(x, p_listening, v_sensitivities, p_include_quarantined) AND x.channel = ANY (p_channels)
              AND (p_include_archived OR x.tier <> 'archive')
              AND x.ts <= v_from AND (p_before_ts IS NULL OR x.ts < p_before_ts OR x.id < p_before_id)
            ORDER BY x.ts DESC, x.id DESC LIMIT p_limit;
            RETURN;
        ELSIF num_nonnulls(p_subject_type, p_subject_id) = 0 THEN
            RETURN QUERY
            SELECT x.id, x.text, x.importance, x.ts, x.edits_applied, x.is_retracted, x.is_quarantined, x.event_id,
                x.session_id, x.scope, x.subject_type, x.subject_id, x.project_id, x.channel, x.tier, x.source,
                x.recorder, x.tags
            FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant
              AND is_seen(x, p_listening, v_sensitivities, p_include_quarantined) AND x.channel = ANY (p_channels)
              AND (p_include_archived OR x.tier <> 'archive')
              AND x.ts <= v_from AND (p_before_ts IS NULL OR x.ts < p_before_ts OR x.id < p_before_id)
            ORDER BY x.ts DESC, x.id DESC LIMIT p_limit;
            RETURN;
        END IF;
    END IF;
    -- Planning with the values removes NULL filters. The planner must not see the limit: a tenant of which it expects
    -- fewer rows than that, it would read whole and sort, instead of walking an index.
    PERFORM set_config('plan_cache_mode', 'force_custom_plan', true);
    RETURN QUERY
    SELECT x.id, x.text, x.importance, x.ts, x.edits_applied, x.is_retracted, x.is_quarantined, x.event_id,
        x.session_id, x.scope, x.subject_type, x.subject_id, x.project_id, x.channel, x.tier, x.source, x.recorder,
        x.tags
    FROM memory_effectivechunk x
    WHERE x.tenant_id = v_tenant AND is_seen(x, p_listening, v_sensitivities, p_include_quarantined)
      AND is_about(x, p_channels, p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id)
      AND (p_tier IS NULL OR x.tier = p_tier) AND (p_include_archived OR x.tier <> 'archive')
      AND (p_tag IS NULL OR x.id IN (
          SELECT k.id FROM memory_chunk k
          WHERE k.tenant_id = v_tenant AND k.tags @> ARRAY[p_tag] AND k.tags <> '{}'))
      AND (p_since IS NULL OR x.ts >= p_since) AND (p_until IS NULL OR x.ts < p_until)
      AND (p_before_ts IS NULL OR x.ts <= p_before_ts AND (x.ts < p_before_ts OR x.id < p_before_id))
    ORDER BY x.ts DESC, x.id DESC LIMIT (SELECT p_limit);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.list_decisions(p_tenant uuid, p_listening text[], p_channels text[], p_include_quarantined boolean, p_status text, p_scope text, p_subject_type text, p_subject_id text, p_project_id text, p_session_id text, p_since timestamp with time zone, p_until timestamp with time zone, p_before_ts timestamp with time zone, p_before_id uuid, p_limit integer)
 RETURNS TABLE(decision_id uuid, decision text, details text, importance numeric, status text, ts timestamp with time zone, is_quarantined boolean, edits_applied integer, event_id uuid, scope text, subject_type text, subject_id text, project_id text, session_id text, channel text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
DECLARE
    v_tenant uuid := p_tenant;
    v_sensitivities text[] := labels_heard(p_tenant, p_listening, p_include_quarantined);
BEGIN
    RETURN QUERY
    SELECT n.id, c.body, f.body, n.importance, n.status, n.ts, n.is_quarantined, n.edits_applied, n.event_id, n.scope,
        n.subject_type, n.subject_id, n.project_id, n.session_id, n.channel
    FROM (
        SELECT x.id, x.content_id, x.details_id, x.importance, x.status, x.ts, x.is_quarantined, x.edits_applied,
            x.event_id, x.scope, x.subject_type, x.subject_id, x.project_id, x.session_id, x.channel
        FROM memory_effectivedecision x
        WHERE x.tenant_id = v_tenant AND NOT x.is_retracted AND x.channel = ANY (p_channels)
          -- the CASE is for the planner, as in is_seen(): it would read and sort all of the tenant's
          AND CASE WHEN why_decision_hidden(x, p_listening, v_sensitivities, p_include_quarantined) IS NULL
              THEN true ELSE false END
          AND (p_status IS NULL OR x.status = p_status) AND (p_scope IS NULL OR x.scope = p_scope)
          AND (p_subject_type IS NULL OR x.subject_type = p_subject_type)
          AND (p_subject_id IS NULL OR x.subject_id = p_subject_id)
          AND (p_project_id IS NULL OR x.project_id = p_project_id)
          AND (p_session_id IS NULL OR x.session_id = p_session_id)
          AND (p_since IS NULL OR x.ts >= p_since) AND (p_until IS NULL OR x.ts < p_until)
          AND (p_before_ts IS NULL OR x.ts <= p_before_ts AND (x.ts < p_before_ts OR x.id < p_before_id))
        ORDER BY x.ts DESC, x.id DESC LIMIT (SELECT p_limit)
    ) n
    CROSS JOIN LATERAL content_of(v_tenant, n.content_id) c
    LEFT JOIN LATERAL content_of(v_tenant, n.details_id) f ON true
    ORDER BY n.ts DESC, n.id DESC;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.list_invitations(p_token text)
 RETURNS TABLE(id uuid, tenant_id uuid, tenant_slug text, roles text[], inviter text, expires_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE person uuid := token_bearer(p_token);
BEGIN
    RETURN QUERY SELECT i.id, i.tenant_id, t.slug::text, i.roles, i.inviter, i.expires_at FROM governance_user u
        JOIN governance_invitation i ON i.username = u.username AND i.status = 'pending'
        JOIN governance_tenant t ON t.id = i.tenant_id
        WHERE u.id = person AND u.is_active AND i.expires_at > statement_timestamp()
            AND (u.reset_at IS NULL OR u.reset_at < i.created_at)
        ORDER BY t.slug;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.list_memberships(p_token text)
 RETURNS TABLE(tenant_id uuid, tenant_slug text, role text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE person uuid := token_bearer(p_token);
BEGIN
    RETURN QUERY SELECT m.tenant_id, t.slug::text, m.role FROM governance_membership m
        JOIN governance_tenant t ON t.id = m.tenant_id
        JOIN governance_user u ON u.id = m.user_id AND u.is_active
        WHERE m.user_id = person AND m.is_active ORDER BY t.slug, m.role;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.list_promotion_candidates(p_tenant uuid, p_chunk uuid, p_tier text, p_would_move boolean, p_before uuid, p_limit integer)
 RETURNS TABLE(chunk_id uuid, is_listed boolean, tier text, wanted_tier text, failed text, due_at timestamp with time zone, at timestamp with time zone, evidence jsonb)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
DECLARE
    me acting_context := acting(p_tenant);
    v_tenant uuid := p_tenant;
    now timestamptz := statement_timestamp();
    last uuid := coalesce(p_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
    near uuid[];
    due uuid[];
BEGIN
    near := CASE WHEN p_chunk IS NOT NULL THEN ARRAY[p_chunk] ELSE ARRAY(
        SELECT u.id FROM (
            (SELECT d.id FROM memory_promotiondue d WHERE d.tenant_id = v_tenant AND d.id < last
             ORDER BY d.id DESC LIMIT (SELECT p_limit))
            UNION
            (SELECT k.id FROM memory_promotioncheck k WHERE k.tenant_id = v_tenant AND k.id < last
               AND p_would_move IS NOT TRUE ORDER BY k.id DESC LIMIT (SELECT p_limit))
        ) u ORDER BY u.id DESC LIMIT p_limit) END;
    due := ARRAY(
        SELECT i.id FROM unnest(near) i (id) WHERE p_chunk IS NOT NULL OR EXISTS (
            SELECT FROM memory_promotiondue d WHERE d.tenant_id = v_tenant AND d.id = i.id AND d.due_at <= now));
    RETURN QUERY
    SELECT i.id, (
            f.tier IS NOT NULL AND (p_tier IS NULL OR f.tier = p_tier)
            AND (p_would_move IS NULL OR p_would_move = (f.failed IS NULL))
            AND (me.kind <> 'agent' OR NOT (x.is_retracted OR x.is_quarantined OR x.superseded_by IS NOT NULL
                OR coalesce(x.expires_at <= now, false)) AND is_heard_by(v_tenant, x.whole))),
        f.tier, f.wanted_tier, f.failed, f.due_at, f.at, f.evidence
    FROM unnest(near) i (id)
    CROSS JOIN LATERAL (
        SELECT y.is_retracted, y.is_quarantined, y.superseded_by, y.expires_at, y AS whole
        FROM memory_effectivechunk y WHERE y.tenant_id = v_tenant AND y.id = i.id LIMIT 1) x
    LEFT JOIN LATERAL (
        SELECT j.tier, j.wanted_tier, j.failed, j.due_at, now AS at, j.evidence
        FROM judge_promotions(v_tenant, ARRAY(SELECT i.id WHERE i.id = ANY (due)), now) j
        UNION ALL
        SELECT k.tier, k.wanted_tier, k.failed, d.due_at, k.at, k.evidence FROM memory_promotioncheck k
        LEFT JOIN LATERAL (
            SELECT y.due_at FROM memory_promotiondue y WHERE y.tenant_id = v_tenant AND y.id = k.id LIMIT 1) d ON true
        WHERE k.tenant_id = v_tenant AND k.id = i.id AND NOT i.id = ANY (due)
        LIMIT 1) f ON true
    ORDER BY i.id DESC;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.list_tasks(p_tenant uuid, p_listening text[], p_channels text[], p_include_quarantined boolean, p_status text, p_scope text, p_subject_type text, p_subject_id text, p_project_id text, p_session_id text, p_since timestamp with time zone, p_until timestamp with time zone, p_before_ts timestamp with time zone, p_before_id uuid, p_limit integer)
 RETURNS TABLE(task_id uuid, title text, details text, status text, ts timestamp with time zone, is_quarantined boolean, edits_applied integer, event_id uuid, scope text, subject_type text, subject_id text, project_id text, session_id text, channel text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
DECLARE
    v_tenant uuid := p_tenant;
    v_sensitivities text[] := labels_heard(p_tenant, p_listening, p_include_quarantined);
BEGIN
    RETURN QUERY
    SELECT n.id, c.body, f.body, n.status, n.ts, n.is_quarantined, n.edits_applied, n.event_id, n.scope,
        n.subject_type, n.subject_id, n.project_id, n.session_id, n.channel
    FROM (
        SELECT x.id, x.content_id, x.details_id, x.status, x.ts, x.is_quarantined, x.edits_applied, x.event_id,
            x.scope, x.subject_type, x.subject_id, x.project_id, x.session_id, x.channel
        FROM memory_effectivetask x
        WHERE x.tenant_id = v_tenant AND NOT x.is_retracted AND x.channel = ANY (p_channels)
          -- the CASE is for the planner, as in is_seen(): it would read and sort all of the tenant's
          AND CASE WHEN why_task_hidden(x, p_listening, v_sensitivities, p_include_quarantined) IS NULL
              THEN true ELSE false END
          AND (p_status IS NULL OR x.status = p_status) AND (p_scope IS NULL OR x.scope = p_scope)
          AND (p_subject_type IS NULL OR x.subject_type = p_subject_type)
          AND (p_subject_id IS NULL OR x.subject_id = p_subject_id)
          AND (p_project_id IS NULL OR x.project_id = p_project_id)
          AND (p_session_id IS NULL OR x.session_id = p_session_id)
          AND (p_since IS NULL OR x.ts >= p_since) AND (p_until IS NULL OR x.ts < p_until)
          AND (p_before_ts IS NULL OR x.ts <= p_before_ts AND (x.ts < p_before_ts OR x.id < p_before_id))
        ORDER BY x.ts DESC, x.id DESC LIMIT (SELECT p_limit)
    ) n
    CROSS JOIN LATERAL content_of(v_tenant, n.content_id) c
    LEFT JOIN LATERAL content_of(v_tenant, n.details_id) f ON true
    ORDER BY n.ts DESC, n.id DESC;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate, EXECUTE to suture_owner
CREATE OR REPLACE FUNCTION public.list_tenants(p_token text)
 RETURNS TABLE(id uuid, slug text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE person uuid := token_bearer(p_token);
BEGIN
    IF person IS NOT NULL AND NOT EXISTS (
        SELECT FROM governance_user u WHERE u.id = person AND u.is_superuser AND u.is_active) THEN
        RETURN;  -- a superuser who was deactivated a moment ago, for one
    END IF;
    RETURN QUERY SELECT t.id, t.slug::text FROM governance_tenant t ORDER BY t.slug;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.lock_access(p_tenant uuid, p_chunk uuid)
 RETURNS numeric
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE found_confidence numeric;
BEGIN
    INSERT INTO memory_chunkaccess (tenant_id, id) VALUES (p_tenant, p_chunk) ON CONFLICT (tenant_id, id) DO NOTHING;
    SELECT a.confidence INTO STRICT found_confidence FROM memory_chunkaccess a
    WHERE a.tenant_id = p_tenant AND a.id = p_chunk FOR UPDATE;
    RETURN found_confidence;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.lock_account(p_tenant uuid, p_user uuid, OUT tenants uuid[], OUT refusal text)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    me acting_context := acting(p_tenant);
    as_superuser boolean := me.kind = 'human' AND is_superuser(me.id);
    locked governance_user;
BEGIN
    IF NOT as_superuser THEN PERFORM acting_manager(p_tenant); END IF;
    IF p_user = me.id THEN refusal := 'own_secrets'; RETURN; END IF;
    -- Whoever gives them a first role in another tenant waits here.
    SELECT * INTO STRICT locked FROM governance_user u WHERE u.id = p_user FOR UPDATE;
    IF NOT locked.is_active THEN refusal := 'person_inactive'; RETURN; END IF;
    tenants := opened_by(p_user);
    IF as_superuser THEN RETURN; END IF;
    IF NOT p_tenant = ANY (tenants) THEN refusal := 'not_a_member'; RETURN; END IF;
    IF locked.is_superuser OR locked.made_in_id IS DISTINCT FROM p_tenant OR EXISTS (
        SELECT FROM governance_membership m WHERE m.user_id = p_user AND m.tenant_id <> p_tenant)
    THEN
        refusal := 'opens_more';
    END IF;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.lock_agent_chains(p_tenant uuid, p_chunks uuid[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    agents uuid[];
    related uuid[];
BEGIN
    SELECT array_agg(DISTINCT m.agent_id) INTO agents FROM unnest(p_chunks) i (id) CROSS JOIN LATERAL (
        SELECT y.agent_id FROM memory_agentmemory y WHERE y.tenant_id = p_tenant AND y.id = i.id LIMIT 1) m;
    IF agents IS NULL THEN RETURN p_chunks; END IF;
    PERFORM 1 FROM governance_chain c WHERE c.tenant_id = p_tenant AND c.name = ANY (ARRAY(
        SELECT 'agent:' || a.slug FROM governance_agent a WHERE a.tenant_id = p_tenant AND a.id = ANY (agents)))
    ORDER BY c.name FOR UPDATE;
    related := p_chunks || consolidations_above(p_tenant, p_chunks);
    RETURN related || superseded_below(p_tenant, related);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.lock_capsules(p_tenant uuid, p_capsule uuid)
 RETURNS uuid[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    generation uuid[] := ARRAY[p_capsule];
    held uuid[] := '{}';
BEGIN
    WHILE generation <> '{}' LOOP
        PERFORM 1 FROM capsules_effectivecapsule x WHERE x.tenant_id = p_tenant AND x.id = ANY (generation)
        ORDER BY x.id FOR UPDATE;
        held := held || generation;
        SELECT coalesce(array_agg(c.id ORDER BY c.id), '{}') INTO generation FROM capsules_capsule c
        WHERE c.tenant_id = p_tenant AND c.forwards_id = ANY (generation);
    END LOOP;
    RETURN held;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate, EXECUTE to suture_owner
CREATE OR REPLACE FUNCTION public.lock_chain(p_tenant uuid, p_name text, OUT id uuid, OUT seq bigint, OUT head bytea, OUT ts timestamp with time zone, OUT public_key bytea)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT c.id, c.seq, c.head, c.ts, c.public_key INTO id, seq, head, ts, public_key FROM governance_chain c
    WHERE c.tenant_id = p_tenant AND c.name = p_name FOR UPDATE;
    IF NOT FOUND THEN
        INSERT INTO governance_chain (tenant_id, id, name, seq, head, ts)
        VALUES (p_tenant, new_id(), p_name, -1, decode(repeat('00', 32), 'hex'), to_timestamp(0))
        ON CONFLICT DO NOTHING;
        SELECT c.id, c.seq, c.head, c.ts, c.public_key INTO id, seq, head, ts, public_key FROM governance_chain c
        WHERE c.tenant_id = p_tenant AND c.name = p_name FOR UPDATE;
    END IF;
    ts := greatest(ts, clock_timestamp());
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.lock_file(p_tenant uuid, p_recorder uuid, p_session text, p_path text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(
        json_build_array('file', p_tenant, p_recorder, p_session, p_path)::text, 0));
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.lock_memory(p_tenant uuid, p_event uuid, p_chunk uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
    PERFORM lock_surroundings(p_tenant, lock_agent_chains(p_tenant,
        file_neighbours(p_tenant, chunks_of_memory(p_tenant, p_event, p_chunk))));
    IF p_event IS NOT NULL THEN
        PERFORM 1 FROM memory_effectivedecision x WHERE x.tenant_id = p_tenant AND x.event_id = p_event
        ORDER BY x.id FOR UPDATE;
    END IF;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.lock_surroundings(p_tenant uuid, p_chunks uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    locked uuid[] := surroundings_of(p_tenant, p_chunks);
    beside uuid[];
    recorded uuid[];
BEGIN
    IF cardinality(p_chunks) > 20 THEN PERFORM set_config('plan_cache_mode', 'force_custom_plan', true); END IF;  -- as there
    PERFORM 1 FROM unnest(locked) i (id)
    CROSS JOIN LATERAL (
        SELECT 1 FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.id = i.id FOR UPDATE) held;
    LOOP
        beside := surroundings_of(p_tenant, p_chunks);
        EXIT WHEN beside = locked;
        recorded := ARRAY(SELECT unnest(beside) EXCEPT SELECT unnest(locked));
        EXIT WHEN recorded = '{}';
        PERFORM 1 FROM unnest(recorded) i (id)
        CROSS JOIN LATERAL (
            SELECT 1 FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.id = i.id
            FOR UPDATE SKIP LOCKED) held
        HAVING count(*) < cardinality(recorded);
        IF FOUND AND EXISTS (
            SELECT FROM unnest(recorded) i (id) CROSS JOIN LATERAL (
                SELECT FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.id = i.id AND x.lex IS NOT NULL
                LIMIT 1) worded)
        THEN
            RAISE EXCEPTION 'memory was recorded beside this one' USING ERRCODE = 'serialization_failure';
        END IF;
        locked := locked || recorded;
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.lock_target(p_tenant uuid, p_target_type text, p_target_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_target_type(p_target_type);
    EXECUTE format('SELECT %I($1, $2, true)', 'state_of_' || p_target_type) USING p_tenant, p_target_id;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.lock_together(p_tenant uuid, p_targets uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE step text;
BEGIN
    FOR step IN SELECT f FROM functions_beginning('lock_together_of_') f LOOP
        EXECUTE format('SELECT %I($1, $2)', step) USING p_tenant, p_targets;
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.lock_together_of_capsules(p_tenant uuid, p_targets uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE one uuid;
BEGIN
    FOR one IN
        SELECT x.id FROM unnest(p_targets) i (id) CROSS JOIN LATERAL (
            SELECT c.id FROM capsules_capsule c WHERE c.tenant_id = p_tenant AND c.id = i.id LIMIT 1) x
        ORDER BY 1
    LOOP
        PERFORM lock_capsules(p_tenant, one);
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.lock_together_of_memory(p_tenant uuid, p_targets uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    chunks uuid[] := ARRAY(
        SELECT unnest(chunks_of_memory(p_tenant, k.event_id, k.id))
        FROM unnest(p_targets) i (id) CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k
        UNION
        SELECT unnest(chunks_of_memory(p_tenant, d.event_id, NULL))
        FROM unnest(p_targets) i (id)
        CROSS JOIN LATERAL (
            SELECT y.event_id FROM memory_decision y WHERE y.tenant_id = p_tenant AND y.id = i.id LIMIT 1) d);
BEGIN
    PERFORM lock_surroundings(p_tenant, lock_agent_chains(p_tenant, file_neighbours(p_tenant, chunks)));
    PERFORM 1 FROM unnest(ARRAY(
        SELECT x.id FROM (
            SELECT DISTINCT k.event_id FROM unnest(chunks) i (id) CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k) e
        CROSS JOIN LATERAL (
            SELECT y.id FROM memory_effectivedecision y WHERE y.tenant_id = p_tenant AND y.event_id = e.event_id
            OFFSET 0) x
        ORDER BY 1)) d (id)
    CROSS JOIN LATERAL (
        SELECT 1 FROM memory_effectivedecision x WHERE x.tenant_id = p_tenant AND x.id = d.id FOR UPDATE) held;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.lock_tree(p_tenant uuid)
 RETURNS TABLE(size bigint, root bytea, sealed_at timestamp with time zone, caught_up_at timestamp with time zone, swept_at timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_job(p_tenant);
    INSERT INTO governance_merkletree (tenant_id, id, size) VALUES (p_tenant, new_id(), 0) ON CONFLICT DO NOTHING;
    RETURN QUERY SELECT t.size, t.root, t.sealed_at, t.caught_up_at, t.swept_at FROM governance_merkletree t
        WHERE t.tenant_id = p_tenant FOR UPDATE SKIP LOCKED;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.make_account(p_tenant uuid, p_name text, p_password text, p_one_time_until timestamp with time zone, OUT user_id uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    me acting_context := acting_manager(p_tenant);
    is_of_server boolean := me.kind = 'system' OR never_had_admin(p_tenant);
BEGIN
    IF strpos(p_name, '@') > 0 THEN
        RAISE EXCEPTION 'a name cannot contain @' USING ERRCODE = 'SU400', CONSTRAINT = 'name_is_qualified';
    END IF;
    user_id := new_id();
    INSERT INTO governance_user (id, username, password, is_superuser, is_staff, is_active, first_name, last_name, email,
        date_joined, one_time_password_until, sessions_ended, made_in_id, made_by)
    SELECT user_id, CASE WHEN is_of_server THEN p_name ELSE p_name || '@' || t.slug END, p_password, false,
        true, true, '', '', '', clock_timestamp(), p_one_time_until, 0, p_tenant,
        CASE me.kind WHEN 'human' THEN me.id END
    FROM governance_tenant t WHERE t.id = p_tenant;
    PERFORM owe_entry(p_tenant, CASE me.kind WHEN 'system' THEN 'role.granted' ELSE 'person.added' END, user_id::text);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.marked_words(p_text text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    -- all that is neither a word nor white space
    symbols constant text := '!-/:-@\[-`{-~\u00A1-\u00A9\u00AB-\u00B1\u00B4\u00B6-\u00B8\u00BB\u00BF\u00D7\u00F7'
        '\u2010-\u205E\u20A0-\u20CF\u2100-\u214F\u2190-\u2BFF\u3001-\u3003\u3008-\u3020\u3030\uFFFC\uFFFD'
        '\U0001F000-\U0001FAFF';
    t text := translate(plain_form(p_text), E'\x01\x02\t\x0B\f\r', '     ' || E'\n');
BEGIN
    -- a quote after a digit is a prime (5' 6"), if this text has this sign after digits only
    IF t ~ '[0-9]''' AND t !~ '(^|[^0-9])''' THEN t := replace(t, '''', E'\u2032'); END IF;
    IF t ~ '[0-9]"' AND t !~ '(^|[^0-9])"' THEN t := replace(t, '"', E'\u2033'); END IF;
    t := regexp_replace(t, '([^ \n' || symbols || '])''(?=[^ \n' || symbols || '])', '\1 ', 'g');
    t := translate(t, '''"`', E'\x01\x01\x01');
    -- the marker of a quoted line, a heading or an entry of a list
    t := regexp_replace(t, '((?:^|\n) *[>#*+-]+)(?= +[^ 0-9' || symbols || '])', E'\\1\x02', 'g');
    t := replace(t, E'\n', E'\x02');
    t := regexp_replace(t, E'(?<![.!?])[.!?]+(?![^ \x01\x02)\\]}*])|[\u00A1\u00BF\u3002]', E'\x02', 'g');
    t := regexp_replace(t, E'(?<![.,;:!?])[.,;:!?]+(?![^ \x01\x02)\\]}*])|\u3001', E'\x01', 'g');
    t := regexp_replace(t, E'(?<=[^ \x01\x02' || '0-9' || symbols || '])[,;](?=[^ 0-9' || symbols || '])', E'\x01', 'g');
    -- a long dash before a number is its sign, as is a hyphen; others between spaces part clauses
    t := regexp_replace(t, E'(?<![^ \x01\x02])\u2014(?=[0-9$\u00A2-\u00A5\u20A0-\u20CF])', '-', 'g');
    t := regexp_replace(t, E'\u2014|(?<![^ \x01\x02])-+(?![^ \x01\x02])(?! *[0-9$.\u00A2-\u00A5\u20A0-\u20CF])', E'\x01', 'g');
    -- emphasis and brackets around words
    t := regexp_replace(t, E'(?<![^ \x01\x02])[*_]+(?=[^ \x01\x02' || symbols || '])', E'\\&\x01', 'g');
    t := regexp_replace(t, E'(?<![ ' || symbols || '])[*_]+(?![^ \x01\x02])', E'\x01\\&', 'g');
    t := regexp_replace(t, E'(?<![^ \x01\x02])[(\\[{]', E'\x01\\&\x01', 'g');
    t := regexp_replace(t, '[)\]}]', E'\x01\\&', 'g');
    RETURN btrim(regexp_replace(regexp_replace(t, E'[\x01\x02' || symbols || ']', ' \& ', 'g'), ' +', ' ', 'g'), ' ');
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.match_chunks(p_tenant uuid, p_recorder text, p_scope text, p_subject_type text, p_subject_id text, p_project_id text, p_session_id text, p_channel text, p_since timestamp with time zone, p_until timestamp with time zone, p_phrase text, p_after_id uuid, p_until_id uuid, p_listening text[], p_limit integer)
 RETURNS TABLE(chunk_id uuid, event_id uuid)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
DECLARE
    v_sensitivities text[] := sensitivities_heard(p_tenant, p_listening);
    v_tenant uuid := p_tenant;
    q tsquery := phraseto_tsquery(search_language(p_tenant), spaced_text(p_phrase));
    terms tsquery := word_query(p_tenant, q) && filter_query(p_tenant, CASE WHEN p_channel IS NOT NULL THEN ARRAY[p_channel] END,
        p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id);
BEGIN
    RETURN QUERY
    SELECT x.id, x.event_id FROM (
        SELECT y.* FROM memory_effectivechunk y
        WHERE (p_phrase IS NOT NULL OR y.tenant_id = v_tenant) AND y.superseded_by IS NULL
          AND (p_phrase IS NULL OR has_terms(y, v_tenant, terms))
          AND (p_listening IS NULL
               OR y.channel = ANY (p_listening) AND is_seen(y, p_listening, v_sensitivities, true))
        UNION ALL  -- no index of words has what is superseded
        SELECT y.* FROM memory_effectivechunk y
        WHERE y.tenant_id = v_tenant AND y.is_superseded
          AND y.id IN (SELECT s.superseded_id FROM memory_supersession s WHERE s.tenant_id = v_tenant)
          AND (p_listening IS NULL OR y.recorded_by = (acting(p_tenant)).id
               AND y.channel = ANY (p_listening) AND is_seen_in_chain(y, p_listening, v_sensitivities, true, true))
    ) x
    WHERE NOT x.is_retracted AND x.id <= p_until_id
      AND (p_after_id IS NULL OR x.id > p_after_id)
      AND (p_recorder IS NULL OR x.recorder = p_recorder)
      AND (p_scope IS NULL OR x.scope = p_scope)
      AND (p_subject_type IS NULL OR x.subject_type = p_subject_type)
      AND (p_subject_id IS NULL OR x.subject_id = p_subject_id)
      AND (p_project_id IS NULL OR x.project_id = p_project_id)
      AND (p_session_id IS NULL OR x.session_id = p_session_id)
      AND (p_channel IS NULL OR x.channel = p_channel)
      AND (p_since IS NULL OR x.ts >= p_since) AND (p_until IS NULL OR x.ts < p_until)
      AND (p_phrase IS NULL OR x.tsv @@ q)
    ORDER BY x.id LIMIT p_limit;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.match_file_part(p_tenant uuid, p_session text, p_path text, p_version uuid, p_chunks json)
 RETURNS TABLE(chunk_index integer, kept uuid, is_placed boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE me acting_context := acting_writer(p_tenant);
BEGIN
    PERFORM lock_file(p_tenant, me.id, p_session, p_path);
    RETURN QUERY
    WITH given AS MATERIALIZED (
        SELECT x.chunk_index, sha256(convert_to(x.body, 'UTF8')) AS digest FROM json_to_recordset(p_chunks)
            AS x (chunk_index int, body text)
    ), placed AS MATERIALIZED (
        SELECT g.chunk_index, g.digest, p.id IS NOT NULL AS is_placed FROM given g
        LEFT JOIN LATERAL (
            SELECT y.id FROM memory_fileplacement y WHERE y.tenant_id = p_tenant AND y.version_id = p_version
              AND y.chunk_index = g.chunk_index LIMIT 1) p ON true
    ), numbered AS (
        SELECT z.chunk_index, z.digest, row_number() OVER (PARTITION BY z.digest ORDER BY z.chunk_index) AS nth
        FROM placed z WHERE NOT z.is_placed
    ), known AS (
        SELECT p.chunk_id, b.digest, row_number() OVER (PARTITION BY b.digest ORDER BY p.chunk_index) AS nth
        FROM latest_of_file(p_tenant, me.id, p_session, p_path) v
        CROSS JOIN LATERAL (
            SELECT y.chunk_id, y.chunk_index FROM memory_fileplacement y
            WHERE y.tenant_id = p_tenant AND y.version_id = v.placed_by OFFSET 0) p
        CROSS JOIN LATERAL chunk_of(p_tenant, p.chunk_id) k
        CROSS JOIN LATERAL content_of(p_tenant, k.content_id) c
        CROSS JOIN LATERAL (SELECT sha256(convert_to(c.body, 'UTF8')) AS digest OFFSET 0) b
        WHERE b.digest IN (SELECT n.digest FROM numbered n)
          AND NOT EXISTS (SELECT FROM memory_captureremoval r WHERE r.tenant_id = p_tenant AND r.chunk_id = p.chunk_id)
          AND NOT EXISTS (SELECT FROM memory_fileplacement y
                          WHERE y.tenant_id = p_tenant AND y.chunk_id = p.chunk_id AND y.version_id = p_version)
    )
    SELECT z.chunk_index, k.chunk_id, z.is_placed FROM placed z
    LEFT JOIN numbered n ON n.chunk_index = z.chunk_index
    LEFT JOIN known k ON k.digest = n.digest AND k.nth = n.nth;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.microseconds(p_moment timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$ SELECT (extract(epoch FROM p_moment) * 1000000)::bigint $function$

-- owner suture_gate; EXECUTE to suture_gate, EXECUTE to suture_operator, EXECUTE to suture_owner
CREATE OR REPLACE FUNCTION public.mint_operator(p_backend integer, p_began timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    RETURN context_mac('|operator|', p_backend, p_began) || '|operator|';
END $function$

-- owner suture_gate; EXECUTE to suture_gate, EXECUTE to suture_session
CREATE OR REPLACE FUNCTION public.mint_person(p_user uuid, p_backend integer, p_began timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE payload text := '|person|' || p_user;
BEGIN
    RETURN context_mac(payload, p_backend, p_began) || payload;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.more_sensitive(p_one text, p_other text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT CASE WHEN array_position('{none,low,high,secret}'::text[], p_one)
                   > array_position('{none,low,high,secret}'::text[], p_other) THEN p_one ELSE p_other END
$function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.most_sensitive_of(p_tenant uuid, p_memories uuid[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE found int;
BEGIN
    PERFORM require_tenant(p_tenant);
    -- Most are chunks: look into the other tables only for what is none.
    SELECT max(array_position('{none,low,high,secret}'::text[], coalesce(
        (SELECT x.sensitivity FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.id = m.id),
        (SELECT x.sensitivity FROM memory_effectivedecision x WHERE x.tenant_id = p_tenant AND x.id = m.id),
        (SELECT x.sensitivity FROM memory_effectivetask x WHERE x.tenant_id = p_tenant AND x.id = m.id),
        (SELECT x.sensitivity FROM memory_artifact x WHERE x.tenant_id = p_tenant AND x.id = m.id)
    ))) INTO found FROM unnest(p_memories) m (id);
    RETURN coalesce(('{none,low,high,secret}'::text[])[found], 'none');
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.names_of_event(p_tenant uuid, p_event uuid)
 RETURNS TABLE(body text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER ROWS 1
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
    RETURN QUERY
    SELECT c.body FROM memory_decision d CROSS JOIN LATERAL content_of(p_tenant, d.content_id) c
    WHERE d.tenant_id = p_tenant AND d.event_id = p_event
    UNION ALL
    SELECT c.body FROM memory_task t CROSS JOIN LATERAL content_of(p_tenant, t.content_id) c
    WHERE t.tenant_id = p_tenant AND t.event_id = p_event
    UNION ALL
    SELECT c.body FROM memory_artifact a CROSS JOIN LATERAL content_of(p_tenant, a.content_id) c
    WHERE a.tenant_id = p_tenant AND a.event_id = p_event
    UNION ALL
    SELECT c.body FROM memory_event e
    JOIN memory_chunk k ON k.tenant_id = p_tenant AND k.event_id = e.id AND k.total_chunks = 1
        AND k.content_id <> e.content_id
    CROSS JOIN LATERAL content_of(p_tenant, e.content_id) c
    WHERE e.tenant_id = p_tenant AND e.id = p_event;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.names_words(p_tenant uuid, p_query text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN numnode((parse_question(search_language(p_tenant), p_query)).matching) > 0;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.narrow_chunks(p_tenant uuid, p_narrow text, f search_filter)
 RETURNS SETOF memory_effectivechunk
 LANGUAGE sql
 STABLE
AS $function$
    SELECT x.* FROM memory_effectivechunk x
    WHERE p_narrow = 'subject' AND x.tenant_id = p_tenant AND x.subject_type = (f).subject_type
      AND x.subject_id = (f).subject_id AND is_found(x, f)
    UNION ALL
    SELECT x.* FROM memory_effectivechunk x
    WHERE p_narrow = 'session' AND x.tenant_id = p_tenant AND x.session_id = (f).session_id AND is_found(x, f)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.narrow_filter(p_tenant uuid, f search_filter)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    IF num_nonnulls(f.subject_type, f.subject_id) = 2 AND 2000 > (SELECT count(*) FROM (
        SELECT FROM memory_effectivechunk x WHERE x.tenant_id = v_tenant AND x.subject_type = f.subject_type
          AND x.subject_id = f.subject_id AND NOT x.is_retracted LIMIT 2000) n)
    THEN RETURN 'subject'; END IF;
    IF f.session_id IS NOT NULL AND 2000 > (SELECT count(*) FROM (
        SELECT FROM memory_effectivechunk x WHERE x.tenant_id = v_tenant AND x.session_id = f.session_id
          AND NOT x.is_retracted LIMIT 2000) n)
    THEN RETURN 'session'; END IF;
    RETURN NULL;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.near_matches(p_tenant uuid, p_ids uuid[], q search_question, w term_weights, lane search_lane, f search_filter)
 RETURNS SETOF word_match
 LANGUAGE plpgsql
 STABLE ROWS 400
AS $function$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    RETURN QUERY
    SELECT x.id, x.importance, x.ts, x.score, NULL::bigint
    FROM (SELECT DISTINCT n.id FROM unnest(p_ids) i (id)
          CROSS JOIN LATERAL (
              SELECT c FROM memory_chunk c WHERE c.tenant_id = v_tenant AND c.id = i.id LIMIT 1) k
          CROSS JOIN LATERAL turns_beside(k.c) n) near
    CROSS JOIN LATERAL (
        SELECT y.id, y.importance, y.ts, word_score(y.lex, y.tsv, w) AS score FROM memory_effectivechunk y
        WHERE y.tenant_id = v_tenant AND y.id = near.id AND is_found(y, f)
          AND (numnode(q.required) = 0 OR y.tsv @@ q.required)
          AND (lane.estimate IS NOT NULL OR NOT y.tsv @@ q.matching) LIMIT 1) x
    WHERE x.score > 0;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.neighbours_of(k memory_chunk, p_blocked text[])
 RETURNS TABLE(place integer, chunk_id uuid, ts timestamp with time zone, tsv tsvector, lends boolean)
 LANGUAGE sql
 STABLE
AS $function$
    SELECT n.place, x.id, n.ts, x.tsv, x.lends FROM turns_beside(k) n
    CROSS JOIN LATERAL (
        SELECT y.id, y.tsv, lends_to(y, k, p_blocked) AS lends FROM memory_effectivechunk y
        WHERE y.tenant_id = k.tenant_id AND y.id = n.id AND NOT y.is_retracted LIMIT 1) x
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.never_had_admin(p_tenant uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
    SELECT NOT EXISTS (SELECT FROM governance_membership m WHERE m.tenant_id = p_tenant AND m.role = 'admin')
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.new_id()
 RETURNS uuid
 LANGUAGE sql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
        PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
        52, 1), 53, 1), 'hex')::uuid
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.newest_matches(p_tenant uuid, q search_question, w term_weights, lane search_lane, f search_filter)
 RETURNS SETOF word_match
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE
    v_tenant uuid := p_tenant;
    span bigint := time_span(lane.since, 0);
    newest_span bigint;
    spans tsquery;
    walked bigint := 0;
BEGIN
    SELECT time_span(x.ts, 0) INTO newest_span FROM memory_effectivechunk x
    WHERE x.tenant_id = v_tenant AND NOT x.is_retracted ORDER BY x.ts DESC, x.id DESC LIMIT 1;
    IF lane.is_crowded THEN
        RETURN QUERY
        SELECT n.id, n.importance, n.ts, n.score, NULL::bigint FROM (
            -- is_found needs x to be the table's own row: PostgreSQL does not inline it for the row of a subquery
            SELECT x.id, x.importance, x.ts, x.tsv @@ q.matching AND is_found(x, f) AS is_hit,
                CASE WHEN x.tsv @@ q.matching THEN word_score(x.lex, x.tsv, w) END AS score
            FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant AND NOT x.is_retracted AND x.ts >= lane.since
              AND x.ts < to_timestamp((span + 1) * 4096)
            ORDER BY x.ts DESC, x.id DESC LIMIT 20000
        ) n WHERE n.is_hit LIMIT 4096;
        GET DIAGNOSTICS walked = ROW_COUNT;
    END IF;
    -- the time is a condition of its own: together, the index would check for every older match whether it is in a span
    spans := time_query(v_tenant, span + (walked >= 200)::int, newest_span);
    RETURN QUERY
    SELECT x.id, x.importance, x.ts, word_score(x.lex, x.tsv, w), NULL::bigint
    FROM memory_effectivechunk x
    WHERE has_terms(x, v_tenant, lane.newest) AND has_terms(x, v_tenant, spans) AND x.ts >= lane.since
      AND x.tsv @@ q.matching AND is_found(x, f);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.normal_digest(p_text text)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$ SELECT sha256(convert_to(normal_text(p_text), 'UTF8')) $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.normal_text(p_text text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
    SELECT coalesce(
        nullif(btrim(regexp_replace(translate(marked_words(p_text), E'\x01\x02', '  '), ' +', ' ', 'g')), ''),
        btrim(regexp_replace(plain_form(p_text), '[ \t-\r\x01\x02]+', ' ', 'g')))
$function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.note_deleted_files(p_tenant uuid, p_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_job(p_tenant);
    UPDATE memory_checkpointstate s SET is_file_deleted = true
    WHERE s.tenant_id = p_tenant AND s.id = ANY (p_ids) AND s.is_removed;
END $function$

-- owner suture_gate; EXECUTE to suture_gate, EXECUTE to suture_review
CREATE OR REPLACE FUNCTION public.note_in(p_body text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT coalesce(capsule_amend(p_body) ->> 'text', p_body)
$function$

-- owner suture_gate; EXECUTE to suture_gate, EXECUTE to suture_owner
CREATE OR REPLACE FUNCTION public.note_shared_secret(p_name text, p_fingerprint text, p_origin text, p_replaces boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    INSERT INTO governance_sharedsecret AS s (name, fingerprint, origin, noted_at)
    VALUES (p_name, p_fingerprint, p_origin, statement_timestamp())
    ON CONFLICT (name) DO UPDATE
        SET fingerprint = EXCLUDED.fingerprint, origin = EXCLUDED.origin, noted_at = EXCLUDED.noted_at
        WHERE p_replaces;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.note_verification(p_tenant uuid, p_findings bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_job(p_tenant);
    UPDATE governance_merkletree t SET verified_at = statement_timestamp(), findings = p_findings
    WHERE t.tenant_id = p_tenant;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.open_context(p_tenant uuid, p_kind text, p_id uuid, p_name text, p_roles text[], p_channels text[], p_held_by uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE payload text;
BEGIN
    IF p_name ~ '[|]' THEN RAISE EXCEPTION 'a name cannot contain |' USING ERRCODE = 'SU400'; END IF;
    payload := concat_ws('|', '', 'context', p_tenant, p_kind, p_id, p_name, array_to_string(p_roles, ','),
        array_to_string(p_channels, ','), coalesce(p_held_by::text, ''));
    EXECUTE format('SET LOCAL suture.context = %L',
        context_mac(payload, pg_backend_pid(), transaction_timestamp()) || payload);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.opened_by(p_user uuid)
 RETURNS uuid[]
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
    SELECT coalesce(array_agg(DISTINCT m.tenant_id ORDER BY m.tenant_id), '{}') FROM governance_membership m
    JOIN governance_user u ON u.id = m.user_id AND u.is_active
    WHERE m.user_id = p_user AND m.is_active
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.overrides_of(p_tenant uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    RETURN (
        SELECT coalesce(jsonb_agg(jsonb_build_object('op', r.op, 'proposer_kind', r.proposer_kind, 'sensitivity',
            r.sensitivity, 'approvals', r.approvals) ORDER BY r.op, r.proposer_kind, r.sensitivity), '[]')
        FROM governance_policyrule r JOIN governance_tenant t ON t.id = p_tenant
        WHERE r.tenant_id = p_tenant AND NOT EXISTS (
            SELECT FROM preset_rules(t.policy) p WHERE p.op = r.op AND p.proposer_kind = r.proposer_kind
              AND r.sensitivity IS NULL AND p.approvals = r.approvals));
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.owe_entry(p_tenant uuid, p_type text, VARIADIC p_mentions text[])
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
    INSERT INTO governance_owedentry (tenant_id, id, type, mentions) VALUES (p_tenant, new_id(), p_type, p_mentions)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.owe_everywhere(p_tenants uuid[], p_type text, p_user uuid)
 RETURNS uuid[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE owing uuid[] := ARRAY(SELECT DISTINCT x FROM unnest(p_tenants) x ORDER BY x);
BEGIN
    PERFORM owe_entry(x, p_type, p_user::text) FROM unnest(owing) x;
    RETURN owing;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.owed_edits(p_tenant uuid)
 RETURNS TABLE(edit_id uuid, op text, target_type text, target_id uuid, patch_sha256 bytea, reason text, policy text, approvals_required integer, is_in_effect boolean)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT e.id, e.op, e.target_type, e.target_id, e.patch_sha256, e.reason, e.policy, e.approvals_required::int,
        o.type = 'edit.approved'
    FROM governance_owedentry o
    CROSS JOIN LATERAL (
        SELECT x.* FROM governance_edit x WHERE x.tenant_id = p_tenant AND x.id = o.mentions[1]::uuid LIMIT 1) e
    WHERE o.tenant_id = p_tenant AND o.type IN ('edit.approved', 'edit.proposed')
    ORDER BY o.id;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.own_word_score(p_tsv tsvector, w term_weights)
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT (w).idfs[1] * term_frequency(p_tsv, (w).queries[1])
        + CASE WHEN cardinality((w).queries) > 1 THEN (w).idfs[2] * term_frequency(p_tsv, (w).queries[2]) ELSE 0 END
        + CASE WHEN cardinality((w).queries) > 2 THEN (w).idfs[3] * term_frequency(p_tsv, (w).queries[3]) ELSE 0 END
        + CASE WHEN cardinality((w).queries) > 3 THEN (w).idfs[4] * term_frequency(p_tsv, (w).queries[4]) ELSE 0 END
        + CASE WHEN cardinality((w).queries) > 4 THEN fifth_and_later_score(p_tsv, w) ELSE 0 END
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.parsable_text(p_text text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    t text := p_text;
    sign text;
BEGIN
    IF length(t) <= 200 THEN RETURN t; END IF;
    IF t ~ '[^[:space:]]{201}' THEN
        t := (SELECT string_agg(
                  CASE WHEN length(s.stretch) > 200 THEN translate(s.stretch, '_/.@', '    ') ELSE s.stretch END,
                  ' ' ORDER BY s.place)
              FROM regexp_split_to_table(t, '[[:space:]]+') WITH ORDINALITY s (stretch, place));
    END IF;
    FOREACH sign IN ARRAY '{<,@}'::text[] LOOP
        IF (length(t) - length(replace(t, sign, '')))::bigint * length(t) > 1000000 THEN
            t := translate(t, sign, ' ');
        END IF;
    END LOOP;
    RETURN t;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.parse_question(p_language regconfig, p_query text)
 RETURNS search_question
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    conditional constant text := '^-|"|^[[:alnum:]_]{3,32}[*]$';
    q search_question;
    part text;
    operator text;          -- between the chain and the next part
    chain text;             -- parts joined by operators
    is_condition boolean;   -- of the chain
    chains text[] := '{}';  -- those that are conditions
    words text := '';       -- what ranks
    apart text := '';       -- those of them of which each makes a match
    wholes tsquery := '';   -- identifiers
    plain int := 0;         -- how many words have no sign
BEGIN
    FOR part IN SELECT m[1] FROM regexp_matches(p_query, '(-*"[^"]*"?|[^[:space:]"]+)', 'g') m LOOP
        IF part IN ('OR', 'AND') THEN
            operator := CASE part WHEN 'OR' THEN ' OR ' ELSE ' ' END;
        ELSIF part ~ '[^[:space:]"-]' THEN
            part := regexp_replace(part, '^-+', '-');
            IF part !~ '^-|^[[:alnum:]_]{3,32}[*]$' THEN
                words := words || ' ' || translate(part, '"*', '  ');
                IF part ~ '[[:digit:]]' AND part ~ '^[[:alnum:]]+([-./:_#][[:alnum:]]+)+$' THEN
                    wholes := wholes || phraseto_tsquery(p_language, part);
                ELSE
                    apart := apart || ' ' || translate(part, '"*', '  ');
                END IF;
            END IF;
            IF operator IS NOT NULL AND chain IS NOT NULL THEN
                chain := chain || operator || part;
                is_condition := true;
            ELSE
                plain := plain + (part !~ conditional)::int;
                IF is_condition THEN chains := chains || chain; END IF;
                chain := part;
                is_condition := part ~ conditional;
            END IF;
            operator := NULL;
        END IF;
    END LOOP;
    IF is_condition THEN chains := chains || chain; END IF;

    q.language := p_language;
    q.terms := tsvector_to_array(text_vector(p_language, words));
    q.required := '';
    FOREACH chain IN ARRAY chains LOOP
        q.required := q.required && search_query(p_language, chain);
    END LOOP;
    q.is_narrowed := coalesce(querytree(q.required) NOT IN ('T', ''), false);
    q.matching := CASE WHEN q.is_narrowed OR q.terms = '{}' THEN q.required
        ELSE (coalesce(any_term(tsvector_to_array(text_vector(p_language, apart))), '') || wholes) && q.required END;
    q.marked := CASE WHEN q.terms = '{}' THEN q.required
        WHEN q.is_narrowed THEN q.required || any_term(q.terms) ELSE any_term(q.terms) END;
    q.is_open := NOT q.is_narrowed AND cardinality(q.terms) >= 3 AND (plain >= 3 OR spaced_text(words) <> words);
    RETURN q;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.pin_checkpoint(p_tenant uuid, p_checkpoint uuid, p_is_pinned boolean)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_tenant(p_tenant);
    PERFORM checkpoint_to_use(p_tenant, p_checkpoint, 'continue');
    UPDATE memory_checkpointstate s SET is_pinned = p_is_pinned
    WHERE s.tenant_id = p_tenant AND s.id = p_checkpoint AND s.is_pinned <> p_is_pinned;
    IF NOT FOUND THEN RETURN false; END IF;
    PERFORM owe_entry(p_tenant, 'checkpoint.pinned', p_checkpoint::text);
    RETURN true;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.pinned_keys()
 RETURNS SETOF bytea
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
    WITH RECURSIVE found (key) AS (
        (SELECT c.public_key FROM governance_chain c WHERE c.public_key IS NOT NULL ORDER BY c.public_key LIMIT 1)
        UNION ALL
        SELECT (SELECT c.public_key FROM governance_chain c WHERE c.public_key > f.key ORDER BY c.public_key LIMIT 1)
        FROM found f WHERE f.key IS NOT NULL)
    SELECT f.key FROM found f WHERE f.key IS NOT NULL
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.place_chunks(p_tenant uuid, p_come uuid[], p_gone uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    come uuid[];
    gone uuid[];
    one uuid;
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
    FOR one IN
        SELECT x.id FROM memory_effectivechunk x
        WHERE x.tenant_id = p_tenant AND x.id = ANY (file_neighbours(p_tenant, ARRAY(
            SELECT e.id FROM memory_effectivechunk e
            WHERE e.tenant_id = p_tenant AND e.id = ANY (p_come) AND e.edits_applied > 0)))
        ORDER BY x.id
    LOOP
        PERFORM refold_locked_memory(p_tenant, NULL, one);
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.plain_form(p_text text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
DECLARE
    unseen constant text := '\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E'
        '\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A'
        '\U000E0000-\U000E0FFF';
    t text := p_text;
BEGIN
    IF octet_length(t) = length(t) THEN RETURN lower(t); END IF;
    IF t ~ ('[\u00B2\u00B3\u00B9\u00BC-\u00BE\u2070\u2071\u2074-\u207F\u2150-\u215F\u2189' || unseen || ']') THEN
        t := regexp_replace(t, '[' || unseen || ']+', '', 'g');
        t := regexp_replace(t, '[\u00B2\u00B3\u00B9\u2070\u2071\u2074-\u207F]+', '^\&', 'g');
        t := regexp_replace(t, '[\u00BC-\u00BE\u2150-\u215F\u2189]', ' \&', 'g');
    END IF;
    t := translate(t,
        E'\u0085\u2028\u2029\u0130\u00B4\u2018\u2019\u201A\u201B\u2032\u2039\u203A\u00AB\u00BB\u201C\u201D\u201E'
        '\u201F\u2033\u2010\u2011\u2012\u2013\u2212\u2015',
        E'\n\n\ni''''''''''''''''"""""""-----\u2014');
    -- normalize() sorts the combining marks of a letter in quadratic time: a joiner ends a run of a hundred
    t := replace(normalize(regexp_replace(t, '[^\x01-\x7F]{100}', E'\\&\u034F', 'g'), NFKC), E'\u034F', '');
    RETURN translate(lower(t), E'\u2044\u03C2', E'/\u03C3');
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.policy_rules_of(p_preset text, p_overrides jsonb)
 RETURNS TABLE(op text, proposer_kind text, sensitivity text, approvals smallint)
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
    SELECT DISTINCT ON (y.op, y.proposer_kind, y.sensitivity) y.op, y.proposer_kind, y.sensitivity, y.approvals FROM (
        SELECT p.op, p.proposer_kind, NULL::text AS sensitivity, p.approvals, 0 AS place FROM preset_rules(p_preset) p
        UNION ALL
        SELECT o.rule ->> 'op', o.rule ->> 'proposer_kind', o.rule ->> 'sensitivity',
            (o.rule ->> 'approvals')::smallint, o.place::int
        FROM jsonb_array_elements(p_overrides) WITH ORDINALITY o (rule, place)
    ) y ORDER BY y.op, y.proposer_kind, y.sensitivity, y.place DESC
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.preset_rules(p_preset text)
 RETURNS TABLE(op text, proposer_kind text, approvals smallint)
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    SELECT o.op, k.kind, (CASE p_preset
        WHEN 'strict' THEN 1
        WHEN 'standard' THEN (k.kind = 'agent' AND o.op NOT IN ('amend', 'attenuate'))::int
        ELSE 0 END)::smallint
    FROM unnest('{retract,amend,quarantine,attenuate,block,revert}'::text[]) o (op)
        CROSS JOIN unnest('{human,agent}'::text[]) k (kind)
    UNION ALL SELECT 'decide', 'agent', (p_preset = 'strict')::int::smallint
$function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate, EXECUTE to suture_review
CREATE OR REPLACE FUNCTION public.preview_edit(p_tenant uuid, p_target_type text, p_target uuid, p_edit jsonb)
 RETURNS SETOF target_preview
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    proposed applied_edit := jsonb_populate_record(NULL::applied_edit, p_edit);
    preview text;
BEGIN
    PERFORM require_tenant(p_tenant);
    PERFORM require_target_type(p_target_type);
    preview := format('SELECT * FROM %I($1, $2, $3)', 'preview_of_' || p_target_type);
    proposed.id := gen_random_uuid();
    proposed.target_id := p_target;
    IF proposed.body IS NOT NULL THEN proposed.content_id := gen_random_uuid(); END IF;
    RETURN QUERY EXECUTE preview USING p_tenant, p_target, NULL::applied_edit;
    RETURN QUERY EXECUTE preview USING p_tenant, p_target, proposed;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.preview_of_capsule(p_tenant uuid, p_capsule uuid, p_also applied_edit)
 RETURNS SETOF target_preview
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    RETURN QUERY
    SELECT k.sensitivity::text, jsonb_build_object('text', said.note, 'risks', said.risks::json),
        f.importance::numeric(5,4), f.is_retracted, f.is_quarantined, f.blocked_channels, false, f.edits_applied,
        CASE WHEN said.note IS NOT NULL AND NOT f.is_retracted
            THEN tsvector_to_array(text_vector(search_language(p_tenant), said.note)) ELSE '{}' END
    FROM capsules_capsule k
    CROSS JOIN LATERAL fold_capsule(p_tenant, k.id, p_also) f
    LEFT JOIN LATERAL content_of(p_tenant, f.note_id) n ON true
    LEFT JOIN LATERAL content_of(p_tenant, f.risks_id) r ON true
    CROSS JOIN LATERAL (SELECT
        CASE WHEN f.note_id IS NULL THEN '' WHEN f.note_id = p_also.content_id THEN note_in(coalesce(p_also.body, n.body))
            ELSE note_in(n.body) END AS note,
        CASE WHEN f.risks_id IS NULL THEN '[]' WHEN f.risks_id = p_also.content_id
            THEN risks_in(coalesce(p_also.body, r.body)) ELSE risks_in(r.body) END AS risks) said
    WHERE k.tenant_id = p_tenant AND k.id = p_capsule;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.preview_of_chunk(p_tenant uuid, p_chunk uuid, p_also applied_edit)
 RETURNS SETOF target_preview
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    RETURN QUERY
    SELECT k.sensitivity::text, jsonb_build_object('text', said.text), f.importance::numeric(5,4), f.is_retracted,
        f.is_quarantined, f.blocked_channels, f.superseded_by IS NOT NULL, f.edits_applied,
        CASE WHEN said.text IS NOT NULL AND NOT f.is_retracted AND f.superseded_by IS NULL
            THEN tsvector_to_array(text_vector(search_language(p_tenant), said.text)) ELSE '{}' END
    FROM memory_chunk k
    CROSS JOIN LATERAL fold_memory(p_tenant, k.event_id, k.id, p_also) f
    LEFT JOIN LATERAL content_of(p_tenant, f.content_id) c ON true
    CROSS JOIN LATERAL (SELECT CASE
        WHEN f.content_id = p_also.content_id AND p_also.body IS NOT NULL THEN p_also.body
        ELSE span_of(c.body, f.span_start, f.span_end) END AS text) said
    WHERE k.tenant_id = p_tenant AND k.id = p_chunk AND f.chunk_id = p_chunk;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.preview_of_decision(p_tenant uuid, p_decision uuid, p_also applied_edit)
 RETURNS SETOF target_preview
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    RETURN QUERY
    SELECT d.sensitivity::text, jsonb_build_object('text', said.text), f.importance::numeric(5,4), f.is_retracted,
        f.is_quarantined, f.blocked_channels, false, f.edits_applied,
        CASE WHEN said.text IS NOT NULL AND NOT f.is_retracted
            THEN tsvector_to_array(text_vector(search_language(p_tenant), said.text)) ELSE '{}' END
    FROM memory_decision d
    CROSS JOIN LATERAL fold_decision(p_tenant, d.id, p_also) f
    LEFT JOIN LATERAL content_of(p_tenant, f.content_id) c ON true
    CROSS JOIN LATERAL (SELECT CASE
        WHEN f.content_id = p_also.content_id AND p_also.body IS NOT NULL THEN p_also.body ELSE c.body END AS text) said
    WHERE d.tenant_id = p_tenant AND d.id = p_decision;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.probe_writing()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET work_mem TO '64kB'
AS $function$
BEGIN
    -- rows of a function that do not fit into work_mem go to a file
    PERFORM count(*) FROM unnest(array_fill(repeat('x', 8000), ARRAY[128]));
    PERFORM pg_logical_emit_message(true, 'suture', 'readiness');
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.probed_df(p_tenant uuid, p_term text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE
    v_tenant uuid := p_tenant;
    wanted tsquery := term_query(p_tenant, p_term);
    found bigint := (SELECT count(*) FROM (
        SELECT FROM memory_effectivechunk x WHERE has_terms(x, v_tenant, wanted) AND is_counted(x) LIMIT 2001) n);
    sampled bigint;
BEGIN
    IF found <= 2000 THEN RETURN found; END IF;
    sampled := sampled_chunks(v_tenant, wanted && term_query(v_tenant, ' one in 512'));
    RETURN greatest(found, CASE WHEN sampled >= 64 THEN 512 * sampled
        ELSE 64 * sampled_chunks(v_tenant, wanted && term_query(v_tenant, ' one in 64')) END);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.project_chunks(p_tenant uuid, p_chunks uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE spoken regconfig := search_language(p_tenant);
BEGIN
    INSERT INTO memory_effectivechunk (tenant_id, id, event_id, source, chunk_index, tier, importance, content_id,
        span_start, span_end, recorded_by, recorder, tags, scope, subject_type, subject_id, project_id, session_id,
        channel, sensitivity, ts, is_retracted, is_quarantined, blocked_channels, edits_applied, seq,
        block_label, is_core, expires_at, text, tsv)
    SELECT p_tenant, k.id, k.event_id, k.source, k.chunk_index, tier_of(p_tenant, k.id), k.importance, k.content_id, k.span_start,
        k.span_end, k.recorded_by, k.recorder, k.tags, k.scope, k.subject_type, k.subject_id, k.project_id,
        k.session_id, k.channel, k.sensitivity, k.ts, false, false, '{}', 0, m.seq,
        m.block_label, coalesce(m.is_core, false), m.expires_at, w.text, text_vector(spoken, w.text)
    FROM memory_chunk k
    LEFT JOIN LATERAL (
        SELECT span_of(c.body, k.span_start, k.span_end) AS text FROM content_of(p_tenant, k.content_id) c) w ON true
    LEFT JOIN LATERAL (
        SELECT y.seq, y.block_label, y.is_core, y.expires_at FROM memory_agentmemory y
        WHERE y.tenant_id = p_tenant AND y.id = k.id AND k.event_id IS NULL LIMIT 1) m ON true
    WHERE k.tenant_id = p_tenant AND k.id = ANY (p_chunks);
    INSERT INTO memory_pendingcontext (tenant_id, id, is_reworded) SELECT p_tenant, i.id, false FROM unnest(p_chunks) i (id)
    ON CONFLICT DO NOTHING;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.promote_chunk(p_tenant uuid, p_chunk uuid, p_tier text, p_reason text, OUT promotion_id uuid, OUT from_tier text, OUT evidence jsonb, OUT at timestamp with time zone, OUT refusal text)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    me acting_context := acting(p_tenant);
    rules jsonb := promotion_rules(p_tenant);
    order_of text[] := '{task,session,longterm,archive}';
    x memory_effectivechunk;
    judged record;
BEGIN
    IF (me.kind = 'human' AND me.roles && '{reviewer,admin}'
        OR me.kind = 'agent' AND rules -> 'promoting_agents' ? me.name) IS NOT TRUE THEN
        refusal := 'not_permitted'; RETURN;
    END IF;
    SELECT * INTO x FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = p_chunk FOR NO KEY UPDATE;
    IF NOT FOUND OR me.kind = 'agent' AND NOT is_heard_by(p_tenant, x) THEN refusal := 'no_such_chunk'; RETURN; END IF;
    at := clock_timestamp();
    from_tier := x.tier;
    SELECT * INTO STRICT judged FROM judge_promotions(p_tenant, ARRAY[p_chunk], at);
    evidence := judged.evidence;
    refusal := CASE
        WHEN x.is_retracted THEN 'retracted'
        WHEN x.is_quarantined THEN 'quarantined'
        WHEN x.superseded_by IS NOT NULL THEN 'superseded'
        WHEN x.expires_at <= at THEN 'expired'
        WHEN x.tier = p_tier THEN 'same_tier'
        WHEN p_tier = 'archive' AND (x.is_core OR x.block_label IS NOT NULL) THEN 'core'
        -- up, or out of the archive: but back to the tier where everything begins
        WHEN p_tier IN ('session', 'longterm') AND (x.tier = 'archive'
                OR array_position(order_of, p_tier) > array_position(order_of, x.tier))
            AND (evidence ->> 'trust')::numeric < (rules ->> 'low_trust')::numeric THEN 'low_trust' END;
    IF refusal IS NOT NULL THEN RETURN; END IF;
    promotion_id := new_id();
    INSERT INTO memory_promotion (tenant_id, id, chunk_id, number, kind, from_tier, to_tier, reason, evidence,
        promoter_kind, promoted_by, promoter, at)
    VALUES (p_tenant, promotion_id, p_chunk, judged.number, 'manual', x.tier, p_tier, p_reason, promote_chunk.evidence,
        me.kind, me.id, me.name, promote_chunk.at);
    PERFORM set_tier(p_tenant, ARRAY[p_chunk], ARRAY[p_tier]);
    PERFORM queue_promotions(p_tenant, ARRAY[p_chunk]);
    PERFORM owe_entry(p_tenant, 'promotion', p_chunk::text);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.promotion_rules(p_tenant uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN standard_promotion_rules() || (SELECT t.promotion_rules FROM governance_tenant t WHERE t.id = p_tenant);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.propose_erasure(p_tenant uuid, p_id uuid, p_by text, p_target uuid, p_subject_type text, p_subject_id text, p_reason text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    me acting_context := acting_admin(p_tenant);
BEGIN
    INSERT INTO governance_erasure (tenant_id, id, created_at, named_by, target_id, subject_type, subject_id, reason,
        proposed_by, proposer)
    VALUES (p_tenant, p_id, clock_timestamp(), p_by, p_target, p_subject_type, p_subject_id, p_reason, me.id,
        me.name);
    INSERT INTO governance_erasurestate (tenant_id, erasure_id, status, proposed_by, decision_reason)
    VALUES (p_tenant, p_id, 'pending', me.id, '');
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.propose_policy_change(p_tenant uuid, p_preset text, p_overrides jsonb, p_reason text, p_promotion jsonb DEFAULT NULL::jsonb, OUT change_id uuid, OUT needs_second boolean)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    me acting_context := acting_admin(p_tenant);
    is_strict boolean;
    created timestamptz := clock_timestamp();
BEGIN
    -- who makes the policy strict meanwhile waits, or is waited for
    SELECT t.policy = 'strict', coalesce(p_preset, t.policy),
        CASE WHEN p_preset IS NULL THEN overrides_of(p_tenant) ELSE p_overrides END
    INTO STRICT is_strict, p_preset, p_overrides FROM governance_tenant t WHERE t.id = p_tenant FOR NO KEY UPDATE;
    -- a change that waits must not fail when its time comes
    IF EXISTS (
        SELECT FROM policy_rules_of(p_preset, p_overrides) x
        WHERE (x.sensitivity IS NULL OR x.sensitivity IN ('none', 'low', 'high', 'secret')) IS NOT TRUE
           OR (x.approvals BETWEEN 0 AND 2) IS NOT TRUE
           OR (x.proposer_kind IN ('human', 'agent')) IS NOT TRUE
           OR NOT EXISTS (SELECT FROM preset_rules('strict') p WHERE p.op = x.op))
    THEN
        RAISE EXCEPTION 'a rule of the policy is not valid' USING ERRCODE = 'SU400';
    END IF;
    PERFORM check_promotion_rules(p_promotion);
    needs_second := is_strict OR weakens_policy(p_tenant, p_preset, p_overrides)
        OR coalesce(weakens_promotion(p_tenant, p_promotion), false);
    change_id := new_id();
    INSERT INTO governance_policychange (tenant_id, id, created_at, preset, overrides, promotion, reason,
        proposed_by, proposer, needs_second)
    VALUES (p_tenant, change_id, created, p_preset, p_overrides, p_promotion, p_reason, me.id, me.name, needs_second);
    INSERT INTO governance_policychangestate (tenant_id, change_id, status, proposed_by, needs_second, takes_effect_at)
    VALUES (p_tenant, change_id, 'pending', me.id, needs_second,
        CASE WHEN needs_second AND NOT is_strict THEN created + interval '1 hour' END);
    PERFORM owe_entry(p_tenant, 'policy.proposed', change_id::text);
    IF NOT needs_second THEN PERFORM decide_policy_change(p_tenant, change_id, true); END IF;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.prune_checkpoints(p_tenant uuid, p_keep integer, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    s record;
    pruned int := 0;
BEGIN
    PERFORM require_job(p_tenant);
    FOR s IN
        SELECT r.id, coalesce(r.keep, p_keep) AS keep FROM memory_runningsession r
        WHERE r.tenant_id = p_tenant AND r.id IN (
            SELECT x.running_id FROM memory_checkpointstate x
            WHERE x.tenant_id = p_tenant AND NOT x.is_removed AND NOT x.is_pinned
            GROUP BY x.running_id, x.depth
            HAVING count(*) > coalesce((SELECT y.keep FROM memory_runningsession y
                                        WHERE y.tenant_id = p_tenant AND y.id = x.running_id), p_keep)
            LIMIT p_limit)
        ORDER BY r.id FOR UPDATE SKIP LOCKED
    LOOP
        pruned := pruned + cardinality(remove_checkpoints(p_tenant, ARRAY(
            SELECT n.id FROM (
                SELECT x.id, row_number() OVER (PARTITION BY x.depth ORDER BY x.id DESC) AS place
                FROM memory_checkpointstate x
                WHERE x.tenant_id = p_tenant AND x.running_id = s.id AND NOT x.is_removed AND NOT x.is_pinned) n
            WHERE n.place > s.keep), 'pruned', NULL));
    END LOOP;
    RETURN pruned;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.put_role(p_tenant uuid, p_user uuid, p_role text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    -- Whoever resets the account meanwhile (lock_account) looks at the tenants in which it ever had a role.
    PERFORM FROM governance_user u WHERE u.id = p_user FOR KEY SHARE;
    INSERT INTO governance_membership AS m (tenant_id, id, user_id, role, is_active, created_at)
    VALUES (p_tenant, new_id(), p_user, p_role, true, clock_timestamp())
    ON CONFLICT ON CONSTRAINT membership_once DO UPDATE SET is_active = true WHERE NOT m.is_active;
    IF NOT FOUND THEN RETURN false; END IF;
    PERFORM owe_entry(p_tenant, 'role.granted', p_user::text, p_role);
    RETURN true;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.quarantine_removed_values(p_tenant uuid, p_chunks uuid[])
 RETURNS TABLE(edit_id uuid, chunk_id uuid, retracted_by uuid, patch_sha256 bytea)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    me acting_context := acting(p_tenant);
    again record;
BEGIN
    IF NOT EXISTS (SELECT 1 FROM memory_removedvalue v WHERE v.tenant_id = p_tenant) THEN RETURN; END IF;
    FOR again IN
        WITH chunk AS MATERIALIZED (
            SELECT k.id, k.event_id, k.content_id, k.span_start, k.span_end, k.subject_type, k.subject_id
            FROM memory_chunk k WHERE k.tenant_id = p_tenant AND k.id = ANY (p_chunks)
        ), said AS (
            SELECT k.id, k.subject_type, k.subject_id, span_of(c.body, k.span_start, k.span_end) AS body
            FROM chunk k CROSS JOIN LATERAL content_of(p_tenant, k.content_id) c
            UNION ALL
            SELECT k.id, k.subject_type, k.subject_id, n.body
            FROM chunk k CROSS JOIN LATERAL event_of(p_tenant, k.event_id) e
            CROSS JOIN LATERAL names_of_event(p_tenant, k.event_id) n
            -- others say nothing besides the words of their chunks
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
        SELECT r.id, r.retract FROM (
            SELECT DISTINCT ON (s.id) s.id, removed_by(p_tenant, s.body, s.subject_type, s.subject_id) AS retract
            FROM suspect s ORDER BY s.id, retract  -- NULL comes last
        ) r
        WHERE r.retract IS NOT NULL ORDER BY r.id
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
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.queue_embeddings(p_tenant uuid, p_chunks json)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    INSERT INTO memory_embeddingitem (tenant_id, id, state, due_at, tries)
    SELECT p_tenant, x.id, CASE WHEN x.compute_embedding IS FALSE THEN 'off' ELSE 'waiting' END, statement_timestamp(), 0
    FROM json_to_recordset(p_chunks) AS x (id uuid, compute_embedding boolean)
    ON CONFLICT (tenant_id, id) DO NOTHING;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.queue_promotions(p_tenant uuid, p_chunks uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    INSERT INTO memory_promotiondue AS q (tenant_id, id, due_at)
    SELECT p_tenant, c.id, clock_timestamp() FROM (SELECT DISTINCT i.id FROM unnest(p_chunks) i (id)) c ORDER BY c.id
    ON CONFLICT (tenant_id, id) DO UPDATE SET due_at = excluded.due_at WHERE q.due_at > excluded.due_at;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.rank_of(p_words double precision, p_meaning real, p_is_question boolean, p_best double precision, p_alpha real, p_asking real)
 RETURNS TABLE(words real, rank real)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE ROWS 1
AS $function$
    SELECT r.words, round(((p_alpha * greatest(coalesce(p_meaning, r.words / 2), 0) + (1 - p_alpha) * r.words
        + CASE WHEN p_is_question THEN 0 ELSE p_asking END) / (1 + p_asking))::numeric, 6)::real
    FROM (SELECT CASE WHEN p_best > 0 THEN (p_words / p_best)::real ELSE 0 END AS words) r
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.ranked_chunks(p_tenant uuid, q search_question, f search_filter, m search_meaning, p_collapse boolean, p_limit integer, p_after search_place)
 RETURNS SETOF ranked_chunk
 LANGUAGE plpgsql
 STABLE ROWS 10
AS $function$
DECLARE
    least_alike constant real := 0.25;  -- a cosine below it is chance, for chunks without a word of the question
    v_tenant uuid := p_tenant;
    narrow text;
    w term_weights;
    lane search_lane;
    alpha real := CASE WHEN m.vector IS NULL OR m.mode = 'keyword' THEN 0 WHEN m.mode = 'semantic' THEN 1
        ELSE coalesce(m.alpha, (SELECT t.hybrid_alpha FROM governance_tenant t WHERE t.id = p_tenant)) END;
    best constant int := 64;  -- so many of each list are judged by everything
    asking real := CASE WHEN q.is_open THEN 0.1 ELSE 0 END;
    heaviest float8;  -- all terms of the question together
BEGIN
    IF numnode(q.matching) = 0 AND alpha = 0 THEN RETURN; END IF;  -- only stop words
    narrow := narrow_filter(p_tenant, f);
    w := term_weights_of(p_tenant, q, narrow, f);
    heaviest := coalesce((SELECT sum(idf) FROM unnest(w.idfs) idf), 1);
    IF alpha < 1 AND numnode(q.matching) > 0 THEN lane := choose_lane(p_tenant, q, w, narrow, f); END IF;
    RETURN QUERY
    WITH matched AS MATERIALIZED (  -- those that are not judged have the order of their scores: a first page needs few
        SELECT * FROM word_matches(v_tenant, q, w, lane, f, CASE WHEN p_after.chunk_id IS NULL THEN p_limit + 100 + best END)
    ), lent AS MATERIALIZED (
        SELECT n.* FROM near_matches(v_tenant, ARRAY(
            SELECT b.chunk_id FROM matched b
            ORDER BY b.score DESC, b.importance DESC, b.ts DESC, b.chunk_id DESC LIMIT best), q, w, lane, f) n
        WHERE q.is_open
    ), worded AS MATERIALIZED (
        SELECT e.chunk_id, max(e.importance) AS importance, max(e.ts) AS ts, max(e.score) AS score
        FROM (SELECT * FROM matched UNION ALL SELECT * FROM lent) e GROUP BY e.chunk_id
    ), meant AS MATERIALIZED (
        SELECT s.chunk_id
        FROM semantic_candidates(v_tenant, CASE WHEN alpha > 0 THEN m.vector END, m.model, f,
            CASE WHEN alpha = 1 THEN 200 ELSE best END * CASE WHEN numnode(q.required) = 0 THEN 1 ELSE 4 END) s
        WHERE alpha = 1 OR s.score >= least_alike
        ORDER BY s.score DESC LIMIT CASE WHEN alpha = 1 THEN 800 ELSE best END
    ), judged AS MATERIALIZED (
        SELECT * FROM judged_chunks(v_tenant, ARRAY(
            SELECT b.chunk_id FROM worded b
            ORDER BY b.score DESC, b.importance DESC, b.ts DESC, b.chunk_id DESC LIMIT best)
            || ARRAY(SELECT s.chunk_id FROM meant s), q, w, f, m)
    ), candidate AS MATERIALIZED (
        SELECT j.chunk_id, j.importance, j.ts, j.words, j.is_named, j.meaning, j.is_question FROM judged j
        UNION ALL
        SELECT o.chunk_id, o.importance, o.ts, o.score, false, NULL, true FROM worded o
        WHERE NOT EXISTS (SELECT FROM judged j WHERE j.chunk_id = o.chunk_id)
    ), scaled AS MATERIALIZED (
        SELECT coalesce(p_after.scale, max(c.words) / heaviest) AS scale FROM candidate c
    ), ranked AS MATERIALIZED (
        SELECT c.chunk_id, r.rank, c.importance, c.ts, r.words, c.meaning, c.is_named, c.is_question
        FROM candidate c CROSS JOIN scaled s
        CROSS JOIN LATERAL rank_of(c.words, c.meaning, c.is_question, s.scale * heaviest, alpha, asking) r
    ), counted AS MATERIALIZED (
        SELECT every.matches, CASE WHEN p_after.chunk_id IS NULL THEN every.matches ELSE (
            SELECT count(*) FROM ranked r WHERE (r.rank, r.importance, r.ts, r.chunk_id)
                < (p_after.rank, p_after.importance, p_after.ts, p_after.chunk_id)) END AS rest
        FROM (SELECT coalesce((SELECT b.matches FROM matched b LIMIT 1), 0) + (SELECT count(*) FROM lent)
            + (SELECT count(*) FROM judged j WHERE NOT (j.is_match AND alpha < 1)
               AND NOT EXISTS (SELECT FROM lent l WHERE l.chunk_id = j.chunk_id)) AS matches) every
    ), nearest AS MATERIALIZED (  -- to the place of the page: more than it needs, as some may be left out
        SELECT r.* FROM ranked r
        WHERE p_after.chunk_id IS NULL OR (r.rank, r.importance, r.ts, r.chunk_id)
            < (p_after.rank, p_after.importance, p_after.ts, p_after.chunk_id)
        ORDER BY r.rank DESC, r.importance DESC, r.ts DESC, r.chunk_id DESC LIMIT p_limit + 100
    ), twin AS MATERIALIZED (
        SELECT a.chunk_id, array_agg(d.id ORDER BY d.id) AS same,
            p_collapse AND bool_or((b.rank, b.importance, b.ts, b.chunk_id) > (a.rank, a.importance, a.ts, a.chunk_id))
            AS is_left_out
        FROM nearest a CROSS JOIN LATERAL duplicates_of(v_tenant, a.chunk_id) d (id)
        LEFT JOIN ranked b ON b.chunk_id = d.id
        WHERE b.chunk_id IS NOT NULL OR EXISTS (
            SELECT FROM memory_effectivechunk y WHERE y.tenant_id = v_tenant AND y.id = d.id AND is_found(y, f)
              AND y.tsv @@ q.matching AND alpha < 1)
        GROUP BY a.chunk_id
    )
    SELECT h.chunk_id, h.rank, h.words, h.meaning, h.is_named, h.is_question, alpha, asking, s.scale,
        greatest(n.matches, lane.estimate), CASE WHEN lane.estimate IS NULL THEN 'exact' ELSE 'windowed' END,
        n.rest - (SELECT count(*) FROM twin t WHERE t.is_left_out), coalesce(t.same, '{}')
    FROM nearest h LEFT JOIN twin t ON t.chunk_id = h.chunk_id
    CROSS JOIN scaled s CROSS JOIN counted n
    WHERE t.is_left_out IS NOT TRUE
    ORDER BY h.rank DESC, h.importance DESC, h.ts DESC, h.chunk_id DESC LIMIT p_limit;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.rarest_terms(p_tenant uuid, w term_weights, p_share double precision, p_budget integer, OUT queries tsquery[], OUT expected double precision)
 RETURNS record
 LANGUAGE sql
 STABLE
AS $function$
    WITH term AS (
        SELECT u.term, u.df * p_share AS df, sum(u.df * p_share) OVER (ORDER BY u.df, u.term) AS upto,
            row_number() OVER (ORDER BY u.df, u.term) AS place
        FROM unnest((w).terms, (w).dfs) u (term, df) WHERE u.df > 0
    ), common AS (
        SELECT t.* FROM term t WHERE t.upto > p_budget ORDER BY t.place LIMIT 4
    ), pair AS (
        SELECT a.term AS one, b.term AS other, a.df * b.df / ((w).total * p_share) AS df,
            sum(a.df * b.df / ((w).total * p_share)) OVER (ORDER BY a.df * b.df, a.term, b.term) AS upto
        FROM common a JOIN common b ON a.place < b.place
    ), chosen AS (
        SELECT string_agg(term_query(p_tenant, t.term)::text, ' | ')::tsquery AS query, sum(t.df) AS df, 0 AS upto
        FROM term t WHERE t.upto <= p_budget HAVING count(*) > 0
        UNION ALL
        (SELECT term_query(p_tenant, p.one) && term_query(p_tenant, p.other), p.df, p.upto FROM pair p
         WHERE p.upto <= p_budget ORDER BY p.upto LIMIT 3)
    )
    SELECT array_agg(c.query ORDER BY c.upto), sum(c.df) FROM chosen c
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.reach_of(p_text text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
    SELECT CASE
        WHEN cardinality(w.words) = 0 OR cardinality(string_to_array(w.said, ' ')) > 50 THEN 'text'
        WHEN cardinality(w.words) > 2 AND length(to_tsvector('english', w.said)) > 1 THEN 'phrase'
        -- four digits, or a sentence in a writing without spaces
        WHEN cardinality(w.words) > 1 OR w.said ~ '[0-9]{4}|[\u3040-\u9FFF]{4}' THEN 'sentence'
        ELSE 'text' END
    FROM (SELECT words_of(p_text) AS words, normal_text(p_text) AS said) w
$function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.read_capsule(p_tenant uuid, p_capsule uuid, p_listening text[])
 RETURNS SETOF capsule_row
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    v_sensitivities text[] := sensitivities_heard(p_tenant, p_listening);
    me acting_context := acting(p_tenant);
    found capsule_row;
BEGIN
    found.refusal := capsule_refusal(p_tenant, p_capsule, me.kind, me.id);
    IF found.refusal IS NOT NULL THEN RETURN NEXT found; RETURN; END IF;
    RETURN QUERY SELECT * FROM capsule_rows(p_tenant, ARRAY[p_capsule], p_listening, v_sensitivities, true);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.recent_memories(p_tenant uuid, p_agent uuid, p_listening text[], p_subject_type text, p_subject_id text, p_project_id text, p_limit integer)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
DECLARE
    v_tenant uuid := p_tenant;
    heard text[] := sensitivities_heard(p_tenant, p_listening);
    channels text[] := (acting(p_tenant)).channels;
BEGIN
    PERFORM require_own_chain(p_tenant, p_agent);
    RETURN QUERY
    (SELECT x.id FROM memory_effectivechunk x
     WHERE x.tenant_id = v_tenant AND x.recorded_by = p_agent AND NOT x.is_superseded AND NOT x.is_retracted
       AND x.tier <> 'archive' AND x.seq IS NOT NULL AND is_seen_in_chain(x, p_listening, heard, false, false)
       AND is_about(x, channels, NULL, p_subject_type, p_subject_id, p_project_id, NULL)
     ORDER BY x.seq DESC LIMIT (SELECT p_limit))
    UNION
    (SELECT x.id FROM memory_effectivechunk x
     WHERE x.tenant_id = v_tenant AND is_seen(x, p_listening, heard, false) AND x.tier <> 'archive'
       AND (x.source <> 'hook' OR x.importance >= 0.5)
       AND is_about(x, channels, NULL, p_subject_type, p_subject_id, p_project_id, NULL)
     ORDER BY x.ts DESC, x.id DESC LIMIT (SELECT p_limit));
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.record_agent_memory(p_tenant uuid, p_memory json, OUT seq bigint, OUT content_hash bytea, OUT ts timestamp with time zone, OUT sensitivity text, OUT tier text, OUT expires_at timestamp with time zone, OUT version integer, OUT previous_block_seq bigint, OUT quarantine_id uuid, OUT retracted_by uuid, OUT patch_sha256 bytea, OUT is_held boolean)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    me acting_context := acting_writer(p_tenant);
    m record;
    t governance_tenant;
    superseded uuid[] := '{}';
    affected uuid[];
    levels text[];
    x record;
    least_confidence numeric;
BEGIN
    IF me.kind <> 'agent' THEN
        RAISE EXCEPTION 'only an agent has a chain of its own' USING ERRCODE = 'SU403';
    END IF;
    SELECT * INTO m FROM json_to_record(p_memory) AS j (
        id uuid, content_id uuid, body text, type text, retention text, importance numeric, channel text,
        sensitivity text, scope text, subject_type text, subject_id text, project_id text, session_id text, tags text[],
        block_label text, is_core boolean, reason text, supersedes bigint[], expires_hours numeric);
    SELECT c.seq + 1 INTO seq FROM governance_chain c
    WHERE c.tenant_id = p_tenant AND c.name = 'agent:' || me.name FOR UPDATE;
    IF NOT FOUND THEN RAISE EXCEPTION 'the agent has no chain' USING ERRCODE = 'SU409'; END IF;
    SELECT * INTO STRICT t FROM governance_tenant y WHERE y.id = p_tenant;
    ts := clock_timestamp();
    -- 1. What it takes the place of.
    IF m.type = 'consolidation' THEN
        superseded := ARRAY(
            SELECT a.id FROM unnest(m.supersedes) s (seq) CROSS JOIN LATERAL (
                SELECT y.id, y.type FROM memory_agentmemory y
                WHERE y.tenant_id = p_tenant AND y.agent_id = me.id AND y.seq = s.seq LIMIT 1) a
            CROSS JOIN LATERAL (
                SELECT FROM memory_effectivechunk e WHERE e.tenant_id = p_tenant AND e.id = a.id
                  AND NOT e.is_superseded LIMIT 1) e
            WHERE a.type <> 'block');
        IF superseded = '{}' OR cardinality(superseded) <> cardinality(m.supersedes) THEN
            RAISE EXCEPTION 'a consolidation supersedes memories of its agent that nothing superseded'
                USING ERRCODE = 'SU409', CONSTRAINT = 'consolidation_supersedes_active';
        END IF;
    ELSIF m.type = 'block' THEN
        SELECT y.seq, y.version, y.id INTO x FROM memory_agentmemory y
        WHERE y.tenant_id = p_tenant AND y.agent_id = me.id AND y.block_label = m.block_label
        ORDER BY y.version DESC LIMIT 1;
        version := coalesce(x.version, 0) + 1;
        previous_block_seq := x.seq;
        IF x.id IS NOT NULL THEN superseded := ARRAY[x.id]; END IF;
    END IF;
    -- 2. What it inherits.
    levels := ARRAY[coalesce(m.sensitivity, t.default_sensitivities ->> m.channel, 'none')];
    IF m.session_id IS NOT NULL THEN levels := levels || sensitivity_given(p_tenant, m.session_id); END IF;
    IF m.type = 'consolidation' THEN
        levels := levels || ARRAY(SELECT k.sensitivity FROM memory_chunk k
            WHERE k.tenant_id = p_tenant AND k.id = ANY (superseded));
    END IF;
    SELECT l INTO sensitivity FROM unnest(levels) l
    ORDER BY array_position('{secret,high,low,none}', l) LIMIT 1;
    IF m.retention = 'ephemeral' THEN
        expires_at := ts + coalesce(m.expires_hours, t.ephemeral_hours) * interval '1 hour';
    END IF;
    -- 3. The record and its projection.
    INSERT INTO governance_content (tenant_id, id, salt, body, sha256)
    SELECT p_tenant, m.content_id, s.salt, m.body, sha256(s.salt || convert_to(m.body, 'UTF8'))
    FROM (SELECT uuid_send(gen_random_uuid()) AS salt) s
    RETURNING sha256 INTO content_hash;
    INSERT INTO memory_chunk (tenant_id, id, source, content_id, chunk_index, total_chunks, importance, tags,
        recorder_kind, recorded_by, recorder, scope, subject_type, subject_id, project_id, session_id, channel,
        sensitivity, ts, retention)
    VALUES (p_tenant, m.id, CASE m.type WHEN 'memory' THEN 'commit' ELSE m.type END, m.content_id, 0, 1, m.importance,
        coalesce(m.tags, '{}'), me.kind, me.id, me.name, m.scope, m.subject_type, m.subject_id, m.project_id,
        m.session_id, m.channel, sensitivity, ts, m.retention);
    INSERT INTO memory_agentmemory (tenant_id, id, agent_id, seq, type, reason, block_label, version,
        previous_block_seq, is_core, expires_at)
    VALUES (p_tenant, m.id, me.id, record_agent_memory.seq, m.type, coalesce(m.reason, ''), m.block_label,
        record_agent_memory.version, record_agent_memory.previous_block_seq, coalesce(m.is_core, false),
        record_agent_memory.expires_at);
    INSERT INTO memory_supersession (tenant_id, id, kind, agent_id, successor_id, successor_seq, superseded_id,
        superseded_seq)
    SELECT p_tenant, new_id(), m.type, me.id, m.id, record_agent_memory.seq, i.id, a.seq
    FROM unnest(superseded) i (id) CROSS JOIN LATERAL (
        SELECT y.seq FROM memory_agentmemory y WHERE y.tenant_id = p_tenant AND y.id = i.id LIMIT 1) a;
    PERFORM project_chunks(p_tenant, ARRAY[m.id]);
    PERFORM queue_embeddings(p_tenant, json_build_array(json_build_object('id', m.id)));
    -- 4. What follows from it.
    affected := superseded || superseded_below(p_tenant, superseded);
    PERFORM lock_surroundings(p_tenant, affected);
    FOR x IN
        SELECT k.event_id, k.id FROM unnest(affected) i (id)
        CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k ORDER BY k.id
    LOOP
        PERFORM refold_locked_memory(p_tenant, x.event_id, x.id);
    END LOOP;
    SELECT q.edit_id, q.retracted_by, q.patch_sha256
    INTO quarantine_id, record_agent_memory.retracted_by, record_agent_memory.patch_sha256
    FROM quarantine_removed_values(p_tenant, ARRAY[m.id]) q;
    IF m.type = 'consolidation' THEN
        PERFORM hold_consolidations(p_tenant, ARRAY(
            SELECT y.id FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = ANY (superseded)
              AND is_edited_away(y)));
        SELECT min(coalesce(a.confidence, 0.5)) INTO least_confidence FROM unnest(superseded) i (id) LEFT JOIN LATERAL (
            SELECT y.confidence FROM memory_chunkaccess y WHERE y.tenant_id = p_tenant AND y.id = i.id LIMIT 1) a ON true;
        IF least_confidence <> 0.5 THEN
            PERFORM change_confidence(p_tenant, m.id, 'consolidation', least_confidence, ts, '', NULL, false);
        END IF;
    END IF;
    SELECT y.tier, y.is_quarantined AND quarantine_id IS NULL INTO tier, is_held FROM memory_effectivechunk y
    WHERE y.tenant_id = p_tenant AND y.id = m.id;
    PERFORM owe_entry(p_tenant, m.type, m.id::text);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.record_capsule(p_tenant uuid, p_capsule json, p_items json, p_audience json, p_listening text[])
 RETURNS TABLE(place text, fault text, created_at timestamp with time zone, expires_at timestamp with time zone, audience_count integer)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    v_sensitivities text[] := sensitivities_heard(p_tenant, p_listening);
    me acting_context := acting_writer(p_tenant);
    c capsules_capsule;
    found_items json;
    audience uuid[];
BEGIN
    c.author := me.name;
    -- 1. Report all faults at once.
    SELECT json_agg(f), CASE WHEN bool_or(f.sensitivity = 'high') THEN 'high'
        WHEN bool_or(f.sensitivity = 'low') THEN 'low' ELSE 'none' END
    INTO found_items, c.sensitivity FROM find_items(p_tenant, p_items, p_listening, v_sensitivities) f;
    RETURN QUERY
    SELECT f.place, 'unknown', NULL::timestamptz, NULL::timestamptz, NULL::int
    FROM json_to_recordset(found_items) AS f (place text, sensitivity text) WHERE f.sensitivity IS NULL
    UNION ALL
    SELECT a.place, a.fault, NULL, NULL, NULL FROM resolve_audience(p_tenant, p_audience) a WHERE a.fault IS NOT NULL;
    IF FOUND THEN RETURN; END IF;
    -- 2. Write the words, then the record.
    INSERT INTO governance_content (tenant_id, id, salt, body, sha256)
    SELECT p_tenant, w.id, w.salt, w.body, sha256(w.salt || convert_to(w.body, 'UTF8'))
    FROM (SELECT x.id, x.body, uuid_send(gen_random_uuid()) AS salt
          FROM json_to_recordset(p_capsule -> 'words') AS x (id uuid, body text)) w;
    SELECT x.id, x.scope, x.subject_type, x.subject_id, x.project_id, x.ttl_days, x.may_forward, x.note_id, x.risks_id
    INTO c.id, c.scope, c.subject_type, c.subject_id, c.project_id, c.ttl_days, c.may_forward, c.note_id, c.risks_id
    FROM json_to_record(p_capsule) AS x (id uuid, scope text, subject_type text, subject_id text, project_id text,
        ttl_days int, may_forward boolean, note_id uuid, risks_id uuid);
    IF me.kind = 'agent' THEN
        PERFORM refuse_removed_text(p_tenant, said.body, c.subject_type, c.subject_id)
        FROM json_to_recordset(p_capsule -> 'words') AS w (id uuid, body text)
        CROSS JOIN LATERAL (
            SELECT w.body WHERE w.id = c.note_id
            UNION ALL
            SELECT r FROM json_array_elements_text(CASE WHEN w.id = c.risks_id THEN w.body::json END) r
        ) said;
    END IF;
    c.tenant_id := p_tenant; c.author_kind := me.kind; c.authored_by := me.id;
    c.created_at := statement_timestamp();
    c.expires_at := c.created_at + make_interval(hours => 24 * c.ttl_days);
    SELECT array_agg(a.agent_id) INTO audience FROM resolve_audience(p_tenant, p_audience) a;
    PERFORM insert_capsule(c, p_items, audience);
    created_at := c.created_at; expires_at := c.expires_at; audience_count := cardinality(audience);
    RETURN NEXT;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.record_captures(p_tenant uuid, p_captures json)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    me acting_context := acting_writer(p_tenant);
    made int;
BEGIN
    INSERT INTO memory_capture (tenant_id, id, session_id, source, hook_type, tool_name, response_type, response_id,
        file_path, word_offset)
    SELECT p_tenant, x.id, k.session_id, x.source, x.hook_type, x.tool_name, x.response_type, x.response_id, NULL,
        x.word_offset
    FROM json_to_recordset(p_captures) AS x (id uuid, source text, hook_type text, tool_name text, response_type text,
        response_id uuid, word_offset int)
    CROSS JOIN LATERAL chunk_of(p_tenant, x.id) k
    WHERE k.recorded_by = me.id AND x.source <> 'MDFileChunk';
    GET DIAGNOSTICS made = ROW_COUNT;
    IF made <> json_array_length(p_captures) THEN
        RAISE EXCEPTION 'a capture says where its own chunk came from' USING ERRCODE = 'SU403';
    END IF;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.record_checkpoint(p_tenant uuid, p_running uuid, p_checkpoint json, p_named text, p_quota bigint, OUT created_at timestamp with time zone, OUT refusal text)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    me acting_context := acting(p_tenant);
    s memory_runningsession := session_to_use(p_tenant, p_running, 'continue');
    c record;
BEGIN
    SELECT * INTO STRICT c FROM json_to_record(p_checkpoint) AS x (id uuid, turn bigint, depth int, format_version text,
        kind text, label text, is_pinned boolean, size bigint, stored_size bigint, sha256 text, state_sha256 text,
        path text);
    IF c.path NOT LIKE p_tenant || '/%' OR c.path LIKE '%..%' THEN
        RAISE EXCEPTION 'a checkpoint is stored below its tenant' USING ERRCODE = 'SU400';
    END IF;
    created_at := clock_timestamp();
    INSERT INTO memory_checkpoint (tenant_id, id, running_id, session_id, turn, depth, format_version, kind, size,
        stored_size, sha256, state_sha256, path, agent_id, agent, created_at)
    VALUES (p_tenant, c.id, p_running, s.session_id, c.turn, c.depth, c.format_version, c.kind, c.size, c.stored_size,
        decode(c.sha256, 'hex'), decode(c.state_sha256, 'hex'), c.path, me.id, me.name, created_at);
    INSERT INTO memory_checkpointstate (tenant_id, id, running_id, depth, label, is_pinned, is_removed, is_file_deleted)
    VALUES (p_tenant, c.id, p_running, c.depth, c.label, c.is_pinned, false, false);
    -- Callers may name their events themselves; every other id is the server's own, a UUID of version 7.
    INSERT INTO memory_checkpointmemory (tenant_id, id, checkpoint_id, memory_id, version, standing)
    WITH named AS MATERIALIZED (
        SELECT i.id, substr(i.id::text, 15, 1) = '7' AS is_ours FROM (SELECT DISTINCT u::uuid FROM string_to_table(p_named, ',') u) i (id)
    )
    SELECT p_tenant, new_id(), c.id, n.id, x.edits_applied, chunk_standing(x, created_at) FROM named n
    CROSS JOIN LATERAL (SELECT * FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = n.id LIMIT 1) x
    WHERE n.is_ours
    UNION ALL
    SELECT p_tenant, new_id(), c.id, n.id, NULL, NULL FROM named n
    CROSS JOIN LATERAL (SELECT FROM memory_event y WHERE y.tenant_id = p_tenant AND y.id = n.id LIMIT 1) x
    UNION ALL
    SELECT p_tenant, new_id(), c.id, n.id, NULL, NULL FROM named n
    CROSS JOIN LATERAL (
        (SELECT FROM memory_decision y WHERE y.tenant_id = p_tenant AND y.id = n.id LIMIT 1)
        UNION ALL
        (SELECT FROM memory_task y WHERE y.tenant_id = p_tenant AND y.id = n.id LIMIT 1)
        UNION ALL
        (SELECT FROM memory_artifact y WHERE y.tenant_id = p_tenant AND y.id = n.id LIMIT 1)) x
    WHERE n.is_ours
    ON CONFLICT DO NOTHING;
    INSERT INTO memory_sessionturn AS t (tenant_id, id, running_id, depth, turn, is_reported, checkpointed_turn)
    VALUES (p_tenant, new_id(), p_running, c.depth, c.turn, false, c.turn)
    ON CONFLICT (tenant_id, running_id, depth) DO UPDATE SET turn = excluded.turn, checkpointed_turn = excluded.turn,
        is_reported = t.is_reported AND t.turn = excluded.turn,
        state_sha256 = CASE WHEN t.turn = excluded.turn THEN t.state_sha256 END,
        checkpoint_id = CASE WHEN t.turn = excluded.turn THEN t.checkpoint_id END
    WHERE t.turn <= excluded.turn;
    IF NOT FOUND THEN RAISE EXCEPTION 'the session is beyond this turn' USING ERRCODE = 'SU409'; END IF;
    -- the last lock: every other checkpoint of the tenant waits for it
    INSERT INTO memory_checkpointusage AS u (tenant_id, id, stored_bytes) VALUES (p_tenant, p_tenant, c.stored_size)
    ON CONFLICT (tenant_id, id) DO UPDATE SET stored_bytes = u.stored_bytes + excluded.stored_bytes
    WHERE u.stored_bytes + excluded.stored_bytes <= p_quota;
    IF NOT FOUND THEN refusal := 'checkpoint_quota'; END IF;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.record_context_bundle(p_tenant uuid, p_id uuid, p_built_at timestamp with time zone, p_request jsonb, p_query_hash bytea, p_items jsonb, p_omissions jsonb, p_total_tokens integer, p_edits_applied integer, p_sensitivity text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    me acting_context := acting(p_tenant);
BEGIN
    INSERT INTO memory_contextbundle (tenant_id, id, built_at, actor_kind, actor_id, actor, request, query_hash, items,
        omissions, total_tokens, edits_applied, sensitivity)
    VALUES (p_tenant, p_id, p_built_at, me.kind, me.id, me.name, p_request, p_query_hash, p_items, p_omissions,
        p_total_tokens, p_edits_applied, p_sensitivity);
    -- Their ids follow the bundle's, and so stay in order of time.
    INSERT INTO memory_contextbundleitem (tenant_id, id, bundle_id, memory_id)
    SELECT p_tenant, encode(overlay(uuid_send(p_id) PLACING int4send(m.place::int) FROM 13), 'hex')::uuid, p_id,
        m.memory_id
    FROM (
        SELECT o.memory_id, row_number() OVER () AS place FROM (
            SELECT DISTINCT (one.value ->> 'id')::uuid AS memory_id FROM jsonb_array_elements(p_items) item
            CROSS JOIN LATERAL (
                SELECT item.value
                UNION ALL SELECT part.value FROM jsonb_array_elements(item.value -> 'parts') part
            ) one
        ) o
    ) m;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.record_deliveries(p_tenant uuid, p_deliveries json)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE given memory_delivery[];
BEGIN
    PERFORM require_job(p_tenant);
    WITH recorded AS (
        INSERT INTO memory_delivery AS y (tenant_id, id, chunk_id, version, receiver_kind, receiver_id, receiver, means,
            session_id, at)
        SELECT p_tenant, d.id, d.chunk_id, d.version, d.receiver_kind, d.receiver_id, d.receiver, d.means, d.session_id,
            d.at
        FROM json_to_recordset(p_deliveries) AS d (id uuid, chunk_id uuid, version int, receiver_kind text,
            receiver_id uuid, receiver text, means text, session_id text, at timestamptz)
        ON CONFLICT (tenant_id, id) DO NOTHING
        RETURNING y AS delivery
    )
    SELECT array_agg(r.delivery) INTO given FROM recorded r;
    INSERT INTO memory_chunkaccess AS a (tenant_id, id, access_count, last_accessed)
    SELECT p_tenant, d.chunk_id, count(*), max(d.at) FROM unnest(given) d
    WHERE d.receiver_kind = 'agent' GROUP BY d.chunk_id ORDER BY d.chunk_id
    ON CONFLICT (tenant_id, id) DO UPDATE SET access_count = a.access_count + excluded.access_count,
        last_accessed = greatest(a.last_accessed, excluded.last_accessed);
    INSERT INTO memory_chunksession AS s (tenant_id, id, chunk_id, session_id, access_count, first_accessed, last_accessed)
    SELECT p_tenant, new_id(), d.chunk_id, d.session_id, count(*), min(d.at), max(d.at) FROM unnest(given) d
    WHERE d.receiver_kind = 'agent' AND d.session_id IS NOT NULL
    GROUP BY d.chunk_id, d.session_id ORDER BY d.chunk_id, d.session_id
    ON CONFLICT (tenant_id, chunk_id, session_id) DO UPDATE SET access_count = s.access_count + excluded.access_count,
        first_accessed = least(s.first_accessed, excluded.first_accessed),
        last_accessed = greatest(s.last_accessed, excluded.last_accessed);
    PERFORM queue_promotions(p_tenant, ARRAY(
        SELECT d.chunk_id FROM unnest(given) d WHERE d.receiver_kind = 'agent'));
    RETURN coalesce(cardinality(given), 0);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.record_edit(p_tenant uuid, p_id uuid, p_target_type text, p_target_id uuid, p_sensitivity text, p_op text, p_reason text, p_text text, p_salt bytea, p_importance numeric, p_importance_delta numeric, p_channel text, p_reverts uuid, p_patch_sha256 bytea, p_batch uuid, OUT status text, OUT applied_at timestamp with time zone, OUT approvals_required smallint, OUT policy text, OUT has_holds boolean)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM acting_writer(p_tenant);
    PERFORM lock_target(p_tenant, p_target_type, p_target_id);
    SELECT r.status, r.applied_at, r.approvals_required, r.policy INTO status, applied_at, approvals_required, policy
    FROM record_edit_of_locked(p_tenant, p_id, p_target_type, p_target_id, p_sensitivity, p_op, p_reason, p_text, p_salt,
        p_importance, p_importance_delta, p_channel, p_reverts, p_patch_sha256, p_batch) r;
    has_holds := EXISTS (SELECT FROM governance_owedentry o WHERE o.tenant_id = p_tenant);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.record_edit_of_locked(p_tenant uuid, p_id uuid, p_target_type text, p_target_id uuid, p_sensitivity text, p_op text, p_reason text, p_text text, p_salt bytea, p_importance numeric, p_importance_delta numeric, p_channel text, p_reverts uuid, p_patch_sha256 bytea, p_batch uuid, OUT status text, OUT applied_at timestamp with time zone, OUT approvals_required smallint, OUT policy text)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    me acting_context := acting_writer(p_tenant);
    words uuid;
    created timestamptz := clock_timestamp();
BEGIN
    -- 1. The target.
    PERFORM require_target_type(p_target_type);
    IF EXISTS (SELECT 1 FROM governance_erasureitem i
               WHERE i.tenant_id = p_tenant AND i.record_id = p_target_id AND i.kind <> 'edit') THEN
        RAISE EXCEPTION 'the target was erased and cannot be edited' USING ERRCODE = 'SU409';
    END IF;
    -- Its retention is in its record, which nothing deletes: no retention, no target.
    IF retention_of_target(p_tenant, p_target_type, p_target_id) IS NULL THEN
        RAISE EXCEPTION 'there is no % %', p_target_type, p_target_id USING ERRCODE = 'SU404', CONSTRAINT = 'no_such_target';
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
        RAISE EXCEPTION 'the edit is already reverted' USING ERRCODE = 'SU409';
    END IF;
    -- 2. The policy at this moment governs the edit for good.
    SELECT r.approvals INTO approvals_required FROM governance_policyrule r
    WHERE r.tenant_id = p_tenant AND r.op = p_op AND r.proposer_kind = me.kind
      AND (r.sensitivity = p_sensitivity OR r.sensitivity IS NULL)
    ORDER BY r.sensitivity NULLS LAST LIMIT 1;
    approvals_required := coalesce(approvals_required, 2);
    SELECT t.policy INTO policy FROM governance_tenant t WHERE t.id = p_tenant;
    -- 3. The record.
    IF p_text IS NOT NULL THEN
        words := new_id();
        INSERT INTO governance_content (tenant_id, id, salt, body, sha256)
        VALUES (p_tenant, words, p_salt, p_text, sha256(p_salt || convert_to(p_text, 'UTF8')));
    END IF;
    INSERT INTO governance_edit (tenant_id, id, created_at, target_type, target_id, op, reason, proposer_kind,
        proposed_by, proposer, content_id, importance, importance_delta, channel, reverts_id, patch_sha256,
        approvals_required, policy, batch_id)
    VALUES (p_tenant, p_id, created, p_target_type, p_target_id, p_op, p_reason, me.kind, me.id,
        me.name, words, p_importance, p_importance_delta, p_channel, p_reverts, p_patch_sha256, approvals_required, policy, p_batch);
    INSERT INTO governance_editstate (tenant_id, edit_id, status, approvals, created_at, held_by)
    VALUES (p_tenant, p_id, 'pending', 0, created, me.held_by);
    -- The target's own app may refuse it.
    IF to_regprocedure(format('%I(uuid,uuid)', 'check_edit_of_' || p_target_type)) IS NOT NULL THEN
        EXECUTE format('SELECT %I($1, $2)', 'check_edit_of_' || p_target_type) USING p_tenant, p_id;
    END IF;
    status := 'pending';
    -- 4. Without need of approval the policy itself decides.
    IF approvals_required = 0 THEN
        INSERT INTO governance_verdict (tenant_id, id, edit_id, decision, decider_kind, decided_by, decider,
            decided_at, reason, proposed_by, patch_sha256)
        VALUES (p_tenant, new_id(), p_id, 'approved', 'policy', NULL, 'policy:' || policy, clock_timestamp(), '',
            me.id, p_patch_sha256);
        applied_at := apply_edit(p_tenant, p_id, 'policy:' || policy);
        status := 'approved';
    END IF;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.record_edits(p_tenant uuid, p_batch uuid, p_edits json, p_each boolean)
 RETURNS TABLE(id uuid, status text, applied_at timestamp with time zone, approvals_required smallint, policy text, refusal text, refusal_state text, refusal_name text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    e record;
    r record;
    failed text;
    state text;
    named text;
    place int := -1;
BEGIN
    PERFORM require_tenant(p_tenant);
    -- all targets first, in one order: two batches of the same targets in opposite orders could deadlock
    PERFORM lock_together(p_tenant, ARRAY(
        SELECT DISTINCT x.target_id FROM json_to_recordset(p_edits) AS x (target_id uuid)));
    FOR e IN
        SELECT * FROM json_to_recordset(p_edits) AS x (id uuid, target_type text, target_id uuid, sensitivity text,
            op text, reason text, text text, salt text, importance numeric, importance_delta numeric, channel text,
            reverts uuid, patch_sha256 text)
    LOOP
        place := place + 1;
        refusal_state := NULL; refusal_name := NULL;
        id := e.id; status := NULL; applied_at := NULL; approvals_required := NULL; policy := NULL; refusal := NULL;
        BEGIN
            SELECT * INTO r FROM record_edit_of_locked(p_tenant, e.id, e.target_type, e.target_id, e.sensitivity, e.op, e.reason,
                e.text, decode(e.salt, 'hex'), e.importance, e.importance_delta,
                e.channel, e.reverts, decode(e.patch_sha256, 'hex'), p_batch);
            status := r.status; applied_at := r.applied_at; approvals_required := r.approvals_required;
            policy := r.policy;
        EXCEPTION WHEN SQLSTATE 'SU400' OR SQLSTATE 'SU404' OR SQLSTATE 'SU409' THEN
            GET STACKED DIAGNOSTICS failed = MESSAGE_TEXT, state = RETURNED_SQLSTATE, named = CONSTRAINT_NAME;
            IF NOT p_each THEN
                RAISE EXCEPTION USING MESSAGE = failed, ERRCODE = state, CONSTRAINT = named, HINT = place::text;
            END IF;
            refusal := failed; refusal_state := state; refusal_name := named;
        END;
        RETURN NEXT;
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.record_events(p_tenant uuid, p_contents json, p_events json, p_chunks json, p_decisions json, p_tasks json, p_artifacts json)
 RETURNS TABLE(edit_id uuid, chunk_id uuid, retracted_by uuid, patch_sha256 bytea)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    me acting_context := acting_writer(p_tenant);
    recorded timestamptz := clock_timestamp();
    levels jsonb;
    made uuid[];
    task uuid;
BEGIN
    SELECT t.default_sensitivities INTO levels FROM governance_tenant t WHERE t.id = p_tenant;
    INSERT INTO governance_content (tenant_id, id, salt, body, sha256)
    SELECT p_tenant, c.id, c.salt, c.body, sha256(c.salt || convert_to(c.body, 'UTF8'))
    FROM (SELECT x.id, x.body, uuid_send(gen_random_uuid()) AS salt
          FROM json_to_recordset(p_contents) AS x (id uuid, body text)) c;

    INSERT INTO memory_event (tenant_id, id, session_id, channel, actor_type, actor_id, kind, sensitivity, scope,
        subject_type, subject_id, project_id, ts, tags, refs, redacted, content_id, fields_id, recorder_kind,
        recorded_by, recorder, recorded_at, retention)
    SELECT p_tenant, x.id, x.session_id, x.channel, x.actor_type, x.actor_id, x.kind,
        coalesce(x.sensitivity, levels ->> x.channel, 'none'), x.scope, x.subject_type, x.subject_id, x.project_id,
        x.ts, x.tags, x.refs, x.redacted, x.content_id, x.fields_id, me.kind, me.id, me.name, recorded, x.retention
    FROM json_to_recordset(p_events) AS x (id uuid, session_id text, channel text, actor_type text, actor_id text,
        kind text, sensitivity text, scope text, subject_type text, subject_id text, project_id text, ts timestamptz,
        tags text[], refs text[], redacted text[], content_id uuid, fields_id uuid, retention text);

    IF p_chunks IS NOT NULL THEN
        WITH chunk AS (
            INSERT INTO memory_chunk (tenant_id, id, event_id, source, content_id, span_start, span_end, chunk_index,
                total_chunks, importance, tags, recorder_kind, recorded_by, recorder, scope, subject_type, subject_id,
                project_id, session_id, channel, sensitivity, ts, retention)
            SELECT p_tenant, x.id, e.id, coalesce(x.source, 'event'), x.content_id, x.span_start, x.span_end, x.chunk_index,
                x.total_chunks, x.importance, e.tags, me.kind, me.id, me.name, e.scope, e.subject_type,
                e.subject_id, e.project_id, e.session_id, e.channel, e.sensitivity, e.ts, e.retention
            FROM json_to_recordset(p_chunks) AS x (id uuid, event_id uuid, content_id uuid, span_start int,
                span_end int, chunk_index int, total_chunks int, importance numeric, source text)
            CROSS JOIN LATERAL event_of(p_tenant, x.event_id) e
            RETURNING id)
        SELECT array_agg(id) INTO made FROM chunk;
        PERFORM project_chunks(p_tenant, made);
        PERFORM queue_embeddings(p_tenant, p_chunks);
    END IF;

    IF p_decisions IS NOT NULL THEN
        WITH decision AS (
            INSERT INTO memory_decision (tenant_id, id, event_id, content_id, details_id, supersedes_id, scope,
                subject_type, subject_id, project_id, session_id, channel, sensitivity, ts)
            SELECT p_tenant, x.id, e.id, x.content_id, x.details_id, x.supersedes, e.scope, e.subject_type,
                e.subject_id, e.project_id, e.session_id, e.channel, e.sensitivity, e.ts
            FROM json_to_recordset(p_decisions) AS x (id uuid, event_id uuid, content_id uuid, details_id uuid,
                supersedes uuid)
            CROSS JOIN LATERAL event_of(p_tenant, x.event_id) e
            RETURNING *)
        INSERT INTO memory_effectivedecision (tenant_id, id, event_id, content_id, details_id, importance, status,
            is_retracted, is_quarantined, blocked_channels, edits_applied, scope, subject_type, subject_id, project_id,
            session_id, channel, sensitivity, ts)
        SELECT p_tenant, d.id, d.event_id, d.content_id, d.details_id, 1, 'active', false, false, '{}', 0, d.scope,
            d.subject_type, d.subject_id, d.project_id, d.session_id, d.channel, d.sensitivity, d.ts
        FROM decision d;
        UPDATE memory_effectivedecision old SET status = 'superseded'
        FROM json_to_recordset(p_decisions) AS x (supersedes uuid)
        WHERE old.tenant_id = p_tenant AND old.id = x.supersedes;
        PERFORM hold_decisions(p_tenant, ARRAY(SELECT x.id FROM json_to_recordset(p_decisions) AS x (id uuid)));
    END IF;

    IF p_tasks IS NOT NULL THEN
        WITH task_update AS (
            INSERT INTO memory_task (tenant_id, id, task_id, event_id, status, content_id, details_id, scope,
                subject_type, subject_id, project_id, session_id, channel, sensitivity, ts)
            SELECT p_tenant, x.id, x.task_id, e.id, x.status, x.content_id, x.details_id, e.scope, e.subject_type,
                e.subject_id, e.project_id, e.session_id, e.channel, e.sensitivity, e.ts
            FROM json_to_recordset(p_tasks) AS x (id uuid, task_id uuid, event_id uuid, status text, content_id uuid,
                details_id uuid)
            CROSS JOIN LATERAL event_of(p_tenant, x.event_id) e
            RETURNING *)
        INSERT INTO memory_effectivetask (tenant_id, id, update_id, event_id, content_id, details_id, status,
            is_retracted, is_quarantined, blocked_channels, edits_applied, scope, subject_type, subject_id, project_id,
            session_id, channel, sensitivity, ts)
        SELECT DISTINCT ON (t.task_id) p_tenant, t.task_id, t.id, t.event_id, t.content_id, t.details_id, t.status,
            false, false, '{}'::text[], 0, t.scope, t.subject_type, t.subject_id, t.project_id, t.session_id,
            t.channel, t.sensitivity, t.ts
        FROM task_update t ORDER BY t.task_id, t.ts DESC, t.id DESC
        ON CONFLICT (tenant_id, id) DO NOTHING;
        FOR task IN SELECT DISTINCT x.task_id FROM json_to_recordset(p_tasks) AS x (task_id uuid) ORDER BY 1 LOOP
            PERFORM refold_task(p_tenant, task);
        END LOOP;
    END IF;

    IF p_artifacts IS NOT NULL THEN
        INSERT INTO memory_artifact (tenant_id, id, event_id, content_id, media_type, scope, subject_type, subject_id,
            project_id, session_id, channel, sensitivity, ts)
        SELECT p_tenant, x.id, e.id, x.content_id, x.media_type, e.scope, e.subject_type, e.subject_id, e.project_id,
            e.session_id, e.channel, e.sensitivity, e.ts
        FROM json_to_recordset(p_artifacts) AS x (id uuid, event_id uuid, content_id uuid, media_type text)
        CROSS JOIN LATERAL event_of(p_tenant, x.event_id) e;
    END IF;
    RETURN QUERY SELECT * FROM quarantine_removed_values(p_tenant, made);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.record_file_part(p_tenant uuid, p_part json, p_chunks json)
 RETURNS TABLE(edit_id uuid, chunk_id uuid, retracted_by uuid, patch_sha256 bytea)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    me acting_context := acting_writer(p_tenant);
    m record;
    level text;
    made uuid[];
BEGIN
    SELECT * INTO m FROM json_to_record(p_part) AS j (version_id uuid, session_id text, file_path text, total_chunks int,
        channel text, sensitivity text, retention text, importance numeric, tags text[], scope text, subject_type text,
        subject_id text, project_id text, ts timestamptz, compute_embedding boolean);
    SELECT coalesce(m.sensitivity, t.default_sensitivities ->> m.channel, 'none') INTO level
    FROM governance_tenant t WHERE t.id = p_tenant;
    IF EXISTS (SELECT FROM memory_fileversion v WHERE v.tenant_id = p_tenant AND v.id = m.version_id) THEN
        RAISE EXCEPTION 'this version of the file is complete' USING ERRCODE = 'SU409', CONSTRAINT = 'file_version_open';
    END IF;
    IF EXISTS (SELECT FROM json_to_recordset(p_chunks) AS x (kept uuid) WHERE x.kept IS NOT NULL AND NOT EXISTS (
        SELECT FROM chunk_of(p_tenant, x.kept) k WHERE k.source = 'file' AND k.recorded_by = me.id)) THEN
        RAISE EXCEPTION 'a version keeps chunks of its own file' USING ERRCODE = 'SU403';
    END IF;
    INSERT INTO governance_content (tenant_id, id, salt, body, sha256)
    SELECT p_tenant, c.id, c.salt, c.body, sha256(c.salt || convert_to(c.body, 'UTF8'))
    FROM (SELECT x.content_id AS id, x.body, uuid_send(gen_random_uuid()) AS salt
          FROM json_to_recordset(p_chunks) AS x (content_id uuid, body text, kept uuid) WHERE x.kept IS NULL) c;
    WITH chunk AS (
        INSERT INTO memory_chunk (tenant_id, id, source, content_id, chunk_index, total_chunks, importance, tags,
            recorder_kind, recorded_by, recorder, scope, subject_type, subject_id, project_id, session_id, channel,
            sensitivity, ts, retention)
        SELECT p_tenant, x.id, 'file', x.content_id, x.chunk_index, m.total_chunks, m.importance, m.tags, me.kind,
            me.id, me.name, m.scope, m.subject_type, m.subject_id, m.project_id, m.session_id, m.channel, level, m.ts,
            m.retention
        FROM json_to_recordset(p_chunks) AS x (id uuid, content_id uuid, chunk_index int, kept uuid)
        WHERE x.kept IS NULL
        RETURNING id)
    SELECT coalesce(array_agg(c.id), '{}') INTO made FROM chunk c;
    INSERT INTO memory_capture (tenant_id, id, session_id, source, file_path, word_offset)
    SELECT p_tenant, x.id, m.session_id, 'MDFileChunk', m.file_path, x.word_offset
    FROM json_to_recordset(p_chunks) AS x (id uuid, word_offset int, kept uuid) WHERE x.kept IS NULL;
    INSERT INTO memory_fileplacement (tenant_id, id, version_id, chunk_id, chunk_index, word_offset, text_start, text_end)
    SELECT p_tenant, new_id(), m.version_id, coalesce(x.kept, x.id), x.chunk_index, x.word_offset, x.text_start, x.text_end
    FROM json_to_recordset(p_chunks) AS x (id uuid, kept uuid, chunk_index int, word_offset int, text_start int,
        text_end int);
    PERFORM project_chunks(p_tenant, made);
    IF m.compute_embedding IS FALSE THEN
        PERFORM queue_embeddings(p_tenant, (
            SELECT json_agg(json_build_object('id', i, 'compute_embedding', false)) FROM unnest(made) i));
    END IF;
    RETURN QUERY SELECT * FROM quarantine_removed_values(p_tenant, made);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.record_outcome(p_tenant uuid, p_chunk uuid, p_outcome text, p_session_id text, p_note text, OUT recorded_at timestamp with time zone, OUT is_repeated boolean, OUT confidence numeric)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    me acting_context := acting_writer(p_tenant);
    v_version int := seen_version(p_tenant, p_chunk, false);
    v_id uuid := new_id();
    is_first boolean;
BEGIN
    is_repeated := false;
    IF v_version IS NULL THEN RETURN; END IF;
    confidence := lock_access(p_tenant, p_chunk);
    SELECT o.at INTO recorded_at FROM memory_outcome o
    WHERE o.tenant_id = p_tenant AND o.chunk_id = p_chunk AND o.session_id = p_session_id AND o.reported_by = me.id
      AND o.outcome = p_outcome;
    IF FOUND THEN
        is_repeated := true;
        RETURN;
    END IF;
    is_first := NOT EXISTS (
        SELECT FROM memory_outcome o WHERE o.tenant_id = p_tenant AND o.chunk_id = p_chunk
          AND o.session_id = p_session_id AND o.outcome = p_outcome);
    recorded_at := clock_timestamp();
    INSERT INTO memory_outcome (tenant_id, id, chunk_id, version, outcome, session_id, note, reporter_kind, reported_by,
        reporter, at)
    VALUES (p_tenant, v_id, p_chunk, v_version, p_outcome, p_session_id, p_note, me.kind, me.id, me.name, recorded_at);
    UPDATE memory_chunkaccess a SET successes = a.successes + (p_outcome = 'success')::int,
        failures = a.failures + (p_outcome = 'failure')::int, last_outcome_at = recorded_at
    WHERE a.tenant_id = p_tenant AND a.id = p_chunk;
    IF is_first OR p_outcome = 'failure' THEN
        confidence := confidence_after(confidence, p_outcome);
        PERFORM change_confidence(p_tenant, p_chunk, 'outcome', confidence, recorded_at, '', v_id, p_outcome = 'failure');
    ELSE
        PERFORM queue_promotions(p_tenant, ARRAY[p_chunk]);
    END IF;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.record_summary(p_tenant uuid, p_contents json, p_chunks json)
 RETURNS TABLE(edit_id uuid, chunk_id uuid, retracted_by uuid, patch_sha256 bytea)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    me acting_context := acting_writer(p_tenant);
    levels jsonb;
    made uuid[];
BEGIN
    SELECT t.default_sensitivities INTO levels FROM governance_tenant t WHERE t.id = p_tenant;
    INSERT INTO governance_content (tenant_id, id, salt, body, sha256)
    SELECT p_tenant, c.id, c.salt, c.body, sha256(c.salt || convert_to(c.body, 'UTF8'))
    FROM (SELECT x.id, x.body, uuid_send(gen_random_uuid()) AS salt
          FROM json_to_recordset(p_contents) AS x (id uuid, body text)) c;
    WITH chunk AS (
        INSERT INTO memory_chunk (tenant_id, id, source, content_id, chunk_index, total_chunks, importance, tags,
            recorder_kind, recorded_by, recorder, scope, subject_type, subject_id, project_id, session_id, channel,
            sensitivity, ts, retention)
        SELECT p_tenant, x.id, 'summary', x.content_id, 0, 1, x.importance, x.tags, me.kind, me.id,
            me.name, x.scope, x.subject_type, x.subject_id, x.project_id, x.session_id, x.channel,
            more_sensitive(coalesce(x.sensitivity, levels ->> x.channel, 'none'),
                sensitivity_given(p_tenant, x.session_id)),
            x.ts, x.retention
        FROM json_to_recordset(p_chunks) AS x (id uuid, content_id uuid, importance numeric, tags text[], scope text,
            subject_type text, subject_id text, project_id text, session_id text, channel text, sensitivity text,
            ts timestamptz, retention text)
        RETURNING id)
    SELECT array_agg(id) INTO made FROM chunk;
    PERFORM project_chunks(p_tenant, made);
    PERFORM queue_embeddings(p_tenant, p_chunks);
    RETURN QUERY SELECT * FROM quarantine_removed_values(p_tenant, made);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.record_verdict(p_tenant uuid, p_edit uuid, p_decision text, p_reason text, p_patch_sha256 bytea, p_target_state text, OUT verdict_id uuid, OUT status text, OUT applied_at timestamp with time zone, OUT approvals smallint, OUT target_state text, OUT has_holds boolean)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    me acting_context := acting(p_tenant);
    e governance_edit;
    s governance_editstate;
BEGIN
    -- 1. The claim: of two reviewers at once, the second waits here and then finds the edit decided.
    SELECT * INTO s FROM governance_editstate x WHERE x.tenant_id = p_tenant AND x.edit_id = p_edit FOR UPDATE;
    IF NOT FOUND THEN RAISE EXCEPTION 'there is no such edit' USING ERRCODE = 'SU404'; END IF;
    SELECT * INTO STRICT e FROM governance_edit x WHERE x.tenant_id = p_tenant AND x.id = p_edit;
    -- 2. Who decides.
    IF me.kind <> 'human' OR NOT me.roles && '{reviewer,admin}' THEN
        RAISE EXCEPTION 'only a reviewer or admin of the tenant can decide an edit' USING ERRCODE = 'SU403';
    END IF;
    IF e.proposed_by = me.id THEN
        RAISE EXCEPTION 'you cannot decide an edit that you proposed' USING ERRCODE = 'SU403';
    END IF;
    -- 3. What is decided.
    IF s.status <> 'pending' THEN
        RAISE EXCEPTION 'the edit is already %', s.status USING ERRCODE = 'SU409';
    END IF;
    IF e.patch_sha256 <> p_patch_sha256 THEN
        RAISE EXCEPTION 'the edit has a different patch from the one that was reviewed' USING ERRCODE = 'SU409';
    END IF;
    -- the target as the reviewer saw it, locked so that no other verdict changes it meanwhile
    EXECUTE format('SELECT %I($1, $2, true)', 'state_of_' || e.target_type)
        INTO target_state USING p_tenant, e.target_id;
    IF target_state <> p_target_state THEN
        RAISE EXCEPTION 'the target has changed since it was reviewed'
            USING ERRCODE = 'SU409', CONSTRAINT = 'edit_target_is_stale';
    END IF;
    IF EXISTS (SELECT 1 FROM governance_verdict v
               WHERE v.tenant_id = p_tenant AND v.edit_id = p_edit AND v.decided_by = me.id) THEN
        RAISE EXCEPTION 'you have already decided this edit; another person must give the second approval'
            USING ERRCODE = 'SU409';
    END IF;
    IF p_decision = 'approved' THEN
        PERFORM require_second_person(p_tenant, ARRAY[e.proposed_by, s.held_by] || ARRAY(
            SELECT v.decided_by FROM governance_verdict v
            WHERE v.tenant_id = p_tenant AND v.edit_id = p_edit AND v.decision = 'approved'));
    END IF;
    -- 4. The verdict and what follows from it.
    verdict_id := new_id();
    INSERT INTO governance_verdict (tenant_id, id, edit_id, decision, decider_kind, decided_by, decider, decided_at,
        reason, proposed_by, patch_sha256)
    VALUES (p_tenant, verdict_id, p_edit, p_decision, 'human', me.id, me.name, clock_timestamp(), p_reason,
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
            applied_at := apply_edit(p_tenant, p_edit, me.name);
            status := 'approved';
        END IF;
    END IF;
    has_holds := EXISTS (SELECT FROM governance_owedentry o WHERE o.tenant_id = p_tenant);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.recorded_rows(p_tenant uuid, p_kinds text[], p_tables text[])
 RETURNS TABLE(kinds text[], counts integer[], row_ids uuid[], hashes bytea, public_key bytea, moment timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
    noted text := current_setting('suture.recorded', true);
    made record;
    found_ids uuid[];
    found_hashes bytea;
BEGIN
    PERFORM require_tenant(p_tenant);
    IF noted IS NULL OR noted = '' THEN RETURN; END IF;
    kinds := '{}'; counts := '{}'; row_ids := '{}'; hashes := '';
    FOR made IN
        SELECT p_kinds[k.place] AS kind, string_to_array(string_agg(split_part(n.line, ' ', 3), ','), ',')::uuid[] AS ids
        FROM string_to_table(rtrim(noted, ';'), ';') n (line)
        CROSS JOIN LATERAL (SELECT array_position(p_tables, split_part(n.line, ' ', 2)) AS place) k
        WHERE starts_with(n.line, p_tenant::text) AND k.place IS NOT NULL
        GROUP BY k.place ORDER BY k.place
    LOOP
        EXECUTE format('SELECT array_agg(x.id ORDER BY x.id), string_agg(leaf_hash(x.leaf), '''' ORDER BY x.id) FROM %I($1, $2) x',
            'leaves_of_' || made.kind) INTO found_ids, found_hashes USING p_tenant, made.ids;
        CONTINUE WHEN found_ids IS NULL;  -- deleted in the same transaction
        kinds := kinds || made.kind;
        counts := counts || cardinality(found_ids);
        row_ids := row_ids || found_ids;
        hashes := hashes || found_hashes;
    END LOOP;
    -- what belongs to another tenant waits for its own receipt
    PERFORM set_config('suture.recorded', coalesce((
        SELECT string_agg(n.line || ';', '' ORDER BY n.place)
        FROM string_to_table(rtrim(noted, ';'), ';') WITH ORDINALITY n (line, place)
        WHERE NOT starts_with(n.line, p_tenant::text)), ''), true);
    IF cardinality(row_ids) = 0 THEN RETURN; END IF;
    SELECT c.public_key INTO public_key FROM governance_chain c WHERE c.tenant_id = p_tenant AND c.name = 'governance';
    moment := clock_timestamp();
    RETURN NEXT;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.recount_use(p_tenant uuid, p_chunk uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM lock_access(p_tenant, p_chunk);
    UPDATE memory_chunkaccess a SET access_count = d.accesses, last_accessed = d.last_at, successes = o.successes,
        failures = o.failures, last_outcome_at = o.last_at, confidence = coalesce((
            SELECT c.after FROM memory_confidencechange c WHERE c.tenant_id = p_tenant AND c.chunk_id = p_chunk
            ORDER BY c.number DESC LIMIT 1), 0.5)
    FROM (
        SELECT count(*) AS accesses, max(y.at) AS last_at FROM memory_delivery y
        WHERE y.tenant_id = p_tenant AND y.chunk_id = p_chunk AND y.receiver_kind = 'agent'
    ) d, (
        SELECT count(*) FILTER (WHERE y.outcome = 'success') AS successes,
            count(*) FILTER (WHERE y.outcome = 'failure') AS failures, max(y.at) AS last_at
        FROM memory_outcome y WHERE y.tenant_id = p_tenant AND y.chunk_id = p_chunk
    ) o
    WHERE a.tenant_id = p_tenant AND a.id = p_chunk;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.refold_capsule(p_tenant uuid, p_capsule uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE one uuid;
BEGIN
    IF NOT EXISTS (SELECT 1 FROM capsules_capsule c WHERE c.tenant_id = p_tenant AND c.id = p_capsule) THEN
        RAISE EXCEPTION 'this capsule does not exist' USING ERRCODE = 'SU404';
    END IF;
    FOREACH one IN ARRAY lock_capsules(p_tenant, p_capsule) LOOP
        PERFORM refold_one_capsule(p_tenant, one);
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.refold_chunk(p_tenant uuid, p_chunk uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE k memory_chunk;
BEGIN
    SELECT * INTO k FROM memory_chunk c WHERE c.tenant_id = p_tenant AND c.id = p_chunk;
    IF NOT FOUND THEN RAISE EXCEPTION 'this chunk does not exist' USING ERRCODE = 'SU404'; END IF;
    PERFORM refold_locked_memory(p_tenant, k.event_id, p_chunk);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.refold_decision(p_tenant uuid, p_decision uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE d memory_decision;
BEGIN
    SELECT * INTO d FROM memory_decision x WHERE x.tenant_id = p_tenant AND x.id = p_decision;
    IF NOT FOUND THEN RAISE EXCEPTION 'this decision does not exist' USING ERRCODE = 'SU404'; END IF;
    PERFORM refold_locked_memory(p_tenant, d.event_id, NULL);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.refold_locked_memory(p_tenant uuid, p_event uuid, p_chunk uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    spoken regconfig := search_language(p_tenant);
    d record;
    task uuid;
    changed uuid[];  -- chunks whose words changed or are gone
    shown uuid[];    -- chunks that readers get or get no longer: promotion is due
    turned uuid[];   -- chunks that came or went: what they superseded goes or comes back
    corrected uuid[];  -- chunks of files whose neighbours give up or get back the words that they share
    below record;
    beside uuid;
    lending uuid[];  -- those and the chunks that other readers may see now
BEGIN
    WITH folded AS (UPDATE memory_effectivechunk x SET is_retracted = f.is_retracted, is_quarantined = f.is_quarantined,
        blocked_channels = f.blocked_channels, content_id = f.content_id, span_start = f.span_start,
        span_end = f.span_end, importance = f.importance, superseded_by = f.superseded_by,
        is_superseded = f.is_superseded, edits_applied = f.edits_applied,
        text = CASE WHEN NOT (f.is_retracted OR x.is_expired) THEN w.text END,
        tsv = CASE WHEN f.is_retracted OR x.is_expired THEN NULL
            WHEN x.tsv IS NOT NULL AND (x.content_id, x.span_start, x.span_end)
                IS NOT DISTINCT FROM (f.content_id, f.span_start, f.span_end) THEN x.tsv
            ELSE text_vector(spoken, w.text) END,
        lex = CASE WHEN NOT (f.is_retracted OR x.is_expired) THEN x.lex END
    FROM fold_memory(p_tenant, p_event, p_chunk) f
    JOIN memory_effectivechunk before ON before.tenant_id = p_tenant AND before.id = f.chunk_id
    LEFT JOIN LATERAL (
        SELECT span_of(c.body, f.span_start, f.span_end) AS text FROM content_of(p_tenant, f.content_id) c) w ON true
    WHERE x.tenant_id = p_tenant AND x.id = f.chunk_id
    RETURNING x.id, (x.content_id, x.span_start, x.span_end, x.is_retracted, x.superseded_by) IS DISTINCT FROM (
        before.content_id, before.span_start, before.span_end, before.is_retracted, before.superseded_by) AS is_changed,
        (x.is_quarantined, x.blocked_channels) IS DISTINCT FROM (before.is_quarantined, before.blocked_channels) AS is_moved,
        (x.is_retracted OR x.is_quarantined) <> (before.is_retracted OR before.is_quarantined) AS is_turned,
        (x.is_retracted, x.is_quarantined, x.superseded_by IS NULL) IS DISTINCT FROM (
            before.is_retracted, before.is_quarantined, before.superseded_by IS NULL) AS is_shown_anew,
        x.source = 'file' AND (x.is_retracted, x.is_quarantined, x.blocked_channels, x.content_id) IS DISTINCT FROM (
            before.is_retracted, before.is_quarantined, before.blocked_channels, before.content_id) AS is_corrected)
    SELECT array_agg(f.id ORDER BY f.id) FILTER (WHERE f.is_changed),
        array_agg(f.id ORDER BY f.id) FILTER (WHERE f.is_changed OR f.is_moved),
        array_agg(f.id) FILTER (WHERE f.is_turned), array_agg(f.id) FILTER (WHERE f.is_corrected),
        array_agg(f.id) FILTER (WHERE f.is_shown_anew)
    INTO changed, lending, turned, corrected, shown FROM folded f;
    PERFORM void_derived(p_tenant, changed);
    IF shown IS NOT NULL THEN PERFORM queue_promotions(p_tenant, shown); END IF;
    IF lending IS NOT NULL THEN PERFORM withdraw_context(p_tenant, lending); END IF;
    PERFORM remember_removed(p_tenant, p_event, p_chunk);
    IF turned IS NOT NULL THEN
        FOR below IN
            SELECT k.event_id, k.id FROM unnest(superseded_below(p_tenant, turned)) i (id)
            CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k ORDER BY k.id
        LOOP
            PERFORM refold_locked_memory(p_tenant, below.event_id, below.id);
        END LOOP;
    END IF;
    IF corrected IS NOT NULL THEN
        FOR beside IN SELECT i.id FROM unnest(file_neighbours(p_tenant, corrected)) i (id) WHERE i.id <> ALL (corrected) ORDER BY 1 LOOP
            PERFORM refold_locked_memory(p_tenant, NULL, beside);
        END LOOP;
    END IF;
    IF p_event IS NULL THEN RETURN; END IF;
    FOR d IN
        SELECT y.id, y.supersedes_id FROM memory_decision y WHERE y.tenant_id = p_tenant AND y.event_id = p_event
        ORDER BY y.id
    LOOP
        PERFORM refold_one_decision(p_tenant, d.id);
        -- a retracted successor puts its predecessor in force again
        IF d.supersedes_id IS NOT NULL THEN PERFORM refold_one_decision(p_tenant, d.supersedes_id); END IF;
    END LOOP;
    FOR task IN
        SELECT DISTINCT t.task_id FROM memory_task t WHERE t.tenant_id = p_tenant AND t.event_id = p_event ORDER BY 1
    LOOP
        PERFORM refold_task(p_tenant, task);
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.refold_memory(p_tenant uuid, p_event uuid, p_chunk uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM lock_memory(p_tenant, p_event, p_chunk);
    PERFORM refold_locked_memory(p_tenant, p_event, p_chunk);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.refold_one_capsule(p_tenant uuid, p_capsule uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    UPDATE capsules_effectivecapsule x SET is_retracted = f.is_retracted, is_quarantined = f.is_quarantined,
        blocked_channels = f.blocked_channels, note_id = f.note_id, risks_id = f.risks_id, importance = f.importance,
        edits_applied = f.edits_applied
    FROM fold_capsule(p_tenant, p_capsule) f WHERE x.tenant_id = p_tenant AND x.id = p_capsule;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.refold_one_decision(p_tenant uuid, p_decision uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM 1 FROM memory_effectivedecision x WHERE x.tenant_id = p_tenant AND x.id = p_decision FOR UPDATE;
    UPDATE memory_effectivedecision x SET is_retracted = f.is_retracted, is_quarantined = f.is_quarantined,
        blocked_channels = f.blocked_channels, content_id = f.content_id, details_id = f.details_id,
        importance = f.importance, edits_applied = f.edits_applied, status = f.status
    FROM fold_decision(p_tenant, p_decision) f WHERE x.tenant_id = p_tenant AND x.id = p_decision;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.refold_task(p_tenant uuid, p_task uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM 1 FROM memory_effectivetask t WHERE t.tenant_id = p_tenant AND t.id = p_task FOR UPDATE;
    UPDATE memory_effectivetask t SET update_id = f.update_id, event_id = f.event_id, content_id = f.content_id,
        details_id = f.details_id, status = f.status, ts = f.ts, is_retracted = f.is_retracted,
        is_quarantined = f.is_quarantined, blocked_channels = f.blocked_channels, edits_applied = f.edits_applied,
        -- channel and sensitivity come from the update whose words the task shows
        scope = u.scope, subject_type = u.subject_type, subject_id = u.subject_id, project_id = u.project_id,
        session_id = u.session_id, channel = u.channel, sensitivity = u.sensitivity
    FROM fold_task(p_tenant, p_task) f CROSS JOIN LATERAL (
        SELECT * FROM memory_task y WHERE y.tenant_id = p_tenant AND y.id = f.update_id LIMIT 1) u
    WHERE t.tenant_id = p_tenant AND t.id = p_task;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.refresh_context(p_tenant uuid, p_chunks uuid[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    part_size constant int := 50;
    part uuid[];
    renewed_part uuid[];
    changed uuid[] := '{}';
BEGIN
    FOR begin_at IN 1 .. cardinality(p_chunks) BY part_size LOOP
        part := p_chunks[begin_at : begin_at + part_size - 1];
        WITH due AS MATERIALIZED (
            SELECT x.id, x.lex AS had, x.superseded_by IS NULL AND NOT x.is_expired AS is_worded
            FROM unnest(part) AS i (id)
            CROSS JOIN LATERAL (
                SELECT y.id, y.lex, y.superseded_by, y.is_expired FROM memory_effectivechunk y
                WHERE y.tenant_id = p_tenant AND y.id = i.id AND NOT y.is_retracted
                  -- one without a vector has nobody's words, and the job computes it
                  -- (a subquery with a LIMIT: EXISTS could become a table of all that waits in the tenant)
                  AND NOT (y.lex IS NULL AND (SELECT true FROM memory_pendingcontext p
                      WHERE p.tenant_id = p_tenant AND p.id = y.id LIMIT 1) IS TRUE) LIMIT 1) x
        ), now AS MATERIALIZED (
            SELECT d.id, d.had, l.lex AS has FROM due d
            LEFT JOIN lex_of_chunks(p_tenant, ARRAY(SELECT w.id FROM due w WHERE w.is_worded)) l ON l.id = d.id
        ), renewed AS (
            UPDATE memory_effectivechunk x SET lex = now.has FROM now
            WHERE x.tenant_id = p_tenant AND x.id = now.id AND NOT is_same_lex(now.had, now.has)
            RETURNING x.id, now.had IS NOT NULL AS had_words)
        SELECT array_agg(r.id) FILTER (WHERE r.had_words) INTO renewed_part FROM renewed r;
        changed := changed || renewed_part;
    END LOOP;
    RETURN ARRAY(SELECT unnest(changed) ORDER BY 1);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.refuse_removed_text(p_tenant uuid, p_text text, p_subject_type text, p_subject_id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE retract uuid := removed_by(p_tenant, p_text, p_subject_type, p_subject_id);
BEGIN
    IF retract IS NOT NULL THEN
        RAISE EXCEPTION 'Edit % retracted what this text says. Propose to revert that edit instead.', retract
            USING ERRCODE = 'SU409', CONSTRAINT = 'edit_brings_no_removed_value';
    END IF;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.refuse_removed_value(p_tenant uuid, p_edit uuid, p_subject_type text, p_subject_id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM refuse_removed_text(p_tenant, c.body, p_subject_type, p_subject_id)
    FROM governance_edit e CROSS JOIN LATERAL content_of(p_tenant, e.content_id) c
    WHERE e.tenant_id = p_tenant AND e.id = p_edit AND e.op = 'amend' AND e.proposer_kind = 'agent';
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.release_embeddings(p_tenant uuid, p_chunks uuid[], p_error text, p_delay interval, p_most integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_job(p_tenant);
    UPDATE memory_embeddingitem i SET due_at = statement_timestamp() + p_delay, error = p_error,
        tries = CASE WHEN p_most IS NULL THEN greatest(i.tries - 1, 0) ELSE i.tries END,
        state = CASE WHEN i.tries >= p_most THEN 'isolated' ELSE i.state END
    WHERE i.tenant_id = p_tenant AND i.id = ANY (p_chunks) AND i.state = 'waiting';
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.remember_removed(p_tenant uuid, p_event uuid, p_chunk uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE chunk uuid;
BEGIN
    FOREACH chunk IN ARRAY chunks_of_memory(p_tenant, p_event, p_chunk) LOOP
        DELETE FROM memory_removedvalue v WHERE v.tenant_id = p_tenant AND v.chunk_id = chunk;
        -- to begin the statement below costs more than to ask
        CONTINUE WHEN NOT EXISTS (
            SELECT FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.id = chunk AND x.is_retracted);
        INSERT INTO memory_removedvalue (tenant_id, id, chunk_id, edit_id, subject_type, subject_id, names_subject,
            digest, cue, other_cue, cue_place, length, reach)
        SELECT p_tenant, new_id(), x.id, r.edit_id, x.subject_type, x.subject_id,
            EXISTS (SELECT 1 FROM unnest(words_of(x.subject_id)) named WHERE length(named) > 2 AND named = ANY (w.words)),
            s.digest, hashtextextended(coalesce(w.longest[1], ''), 0), hashtextextended(w.longest[2], 0),
            coalesce(array_position(w.said, w.longest[1]), 1), cardinality(w.said), reach_of(s.body)
        FROM memory_effectivechunk x
        CROSS JOIN LATERAL (
            SELECT e.id AS edit_id
            FROM (SELECT x.id || ARRAY(SELECT d.id FROM memory_decision d
                                       WHERE d.tenant_id = p_tenant AND d.event_id = x.event_id) AS ids) t
            CROSS JOIN LATERAL applied_edits(p_tenant, t.ids, NULL) e
            WHERE e.op = 'retract' AND NOT e.id = ANY (cancelled_edits(p_tenant, t.ids, NULL, NULL))
            ORDER BY e.applied_at DESC LIMIT 1
        ) r
        CROSS JOIN LATERAL (
            SELECT DISTINCT ON (normal_digest(t.body)) normal_digest(t.body) AS digest, t.body FROM (
                SELECT span_of(c.body, k.span_start, k.span_end) AS body FROM memory_chunk k
                CROSS JOIN LATERAL content_of(p_tenant, k.content_id) c
                WHERE k.tenant_id = p_tenant AND k.id = x.id
                UNION ALL
                SELECT span_of(c.body, x.span_start, x.span_end) FROM governance_content c
                WHERE c.tenant_id = p_tenant AND c.id = x.content_id
                UNION ALL
                SELECT n.body FROM names_of_event(p_tenant, x.event_id) n
            ) t WHERE t.body IS NOT NULL ORDER BY 1
        ) s
        CROSS JOIN LATERAL (
            SELECT words_of(s.body) AS words, string_to_array(normal_text(s.body), ' ') AS said,
                ARRAY(SELECT one FROM unnest(words_of(s.body)) one GROUP BY one ORDER BY length(one) DESC, one LIMIT 2)
                    AS longest
        ) w
        WHERE x.tenant_id = p_tenant AND x.id = chunk;
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.remove_captures(p_tenant uuid, p_chunks uuid[])
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    me acting_context := acting_writer(p_tenant);
    removed uuid[];
    one record;
BEGIN
    IF EXISTS (SELECT FROM unnest(p_chunks) i (id) CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k
               WHERE k.recorded_by <> me.id OR NOT EXISTS (
                   SELECT FROM memory_capture c WHERE c.tenant_id = p_tenant AND c.id = i.id)) THEN
        RAISE EXCEPTION 'only who captured a memory deletes it' USING ERRCODE = 'SU403';
    END IF;
    PERFORM lock_together_of_memory(p_tenant, p_chunks);
    WITH made AS (
        INSERT INTO memory_captureremoval (tenant_id, id, chunk_id, remover_kind, removed_by, remover, removed_at)
        SELECT p_tenant, new_id(), i.id, me.kind, me.id, me.name, clock_timestamp() FROM unnest(p_chunks) i (id)
        ON CONFLICT (tenant_id, chunk_id) DO NOTHING
        RETURNING chunk_id)
    SELECT coalesce(array_agg(m.chunk_id), '{}') INTO removed FROM made m;
    FOR one IN SELECT k.event_id, k.id FROM unnest(removed) i (id) CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k LOOP
        PERFORM refold_locked_memory(p_tenant, one.event_id, one.id);
    END LOOP;
    RETURN cardinality(removed);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.remove_checkpoints(p_tenant uuid, p_ids uuid[], p_reason text, p_erasure uuid)
 RETURNS uuid[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    me acting_context := acting(p_tenant);
    removed uuid[];
BEGIN
    WITH made AS (
        INSERT INTO memory_checkpointremoval (tenant_id, id, checkpoint_id, reason, erasure_id, remover_kind,
            removed_by, remover, removed_at)
        SELECT p_tenant, new_id(), i.id, p_reason, p_erasure, me.kind, me.id, me.name, clock_timestamp()
        FROM unnest(p_ids) i (id)
        ON CONFLICT (tenant_id, checkpoint_id) DO NOTHING
        RETURNING checkpoint_id)
    SELECT coalesce(array_agg(m.checkpoint_id ORDER BY m.checkpoint_id), '{}') INTO removed FROM made m;
    UPDATE memory_checkpointstate s SET is_removed = true, is_pinned = false, label = NULL
    WHERE s.tenant_id = p_tenant AND s.id = ANY (removed);
    DELETE FROM memory_checkpointmemory m WHERE m.tenant_id = p_tenant AND m.checkpoint_id = ANY (removed);
    UPDATE memory_checkpointusage u SET stored_bytes = u.stored_bytes - (
        SELECT coalesce(sum(c.stored_size), 0) FROM memory_checkpoint c
        WHERE c.tenant_id = p_tenant AND c.id = ANY (removed))
    WHERE u.tenant_id = p_tenant AND u.id = p_tenant AND removed <> '{}';
    RETURN removed;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.remove_second_factor(p_tenant uuid, p_user uuid, OUT tenants uuid[], OUT refusal text)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    SELECT l.tenants, l.refusal INTO tenants, refusal FROM lock_account(p_tenant, p_user) l;
    IF refusal IS NOT NULL THEN RETURN; END IF;
    IF NOT EXISTS (SELECT FROM otp_totp_totpdevice d WHERE d.user_id = p_user AND d.confirmed) THEN
        refusal := 'no_second_factor'; RETURN;
    END IF;
    PERFORM delete_second_factor(p_user);
    UPDATE governance_user u SET sessions_ended = u.sessions_ended + 1, reset_at = clock_timestamp(),
        reset_by = CASE me.kind WHEN 'human' THEN me.id END
    WHERE u.id = p_user;
    tenants := owe_everywhere(tenants || p_tenant, 'person.second_factor_off', p_user);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.removed_by(p_tenant uuid, p_text text, p_subject_type text, p_subject_id text)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    -- pieces overlap by a value of 50 words, and 30 words before and after it
    piece_length constant int := 480;
    context constant int := 30;
    overlap constant int := 110;
    cues bigint[] := cues_of(p_text);
    v_digest bytea;
    retract uuid;
    token text;
    mark text := '';
    words text[] := '{}';
    marks text[] := '{}';  -- before each word: '.' where a sentence ended, ',' where a clause ended
    starts int := 1;       -- where values begin that earlier pieces did not have
BEGIN
    IF NOT EXISTS (
        SELECT 1 FROM memory_removedvalue v WHERE v.tenant_id = p_tenant AND v.cue = ANY (cues)
            AND (v.other_cue IS NULL OR v.other_cue = ANY (cues)) AND is_removed_about(v, p_subject_type, p_subject_id)
    ) THEN RETURN NULL; END IF;
    v_digest := normal_digest(p_text);
    SELECT v.edit_id INTO retract FROM memory_removedvalue v
    WHERE v.tenant_id = p_tenant AND v.digest = v_digest
        AND is_removed_about(v, p_subject_type, p_subject_id)
    ORDER BY v.edit_id LIMIT 1;
    IF FOUND THEN RETURN retract; END IF;
    FOREACH token IN ARRAY string_to_array(marked_words(p_text), ' ') || ARRAY[NULL] LOOP
        IF token = E'\x02' THEN mark := '.'; CONTINUE; END IF;
        IF token = E'\x01' THEN mark := CASE mark WHEN '.' THEN '.' ELSE ',' END; CONTINUE; END IF;
        IF token IS NOT NULL THEN
            words := array_append(words, token);
            marks := array_append(marks, mark);
            mark := '';
            CONTINUE WHEN cardinality(words) < piece_length;
        END IF;
        SELECT v.edit_id INTO retract
        FROM unnest(words) WITH ORDINALITY AS w (word, place)
        JOIN (SELECT DISTINCT v.cue, v.cue_place, v.length FROM memory_removedvalue v
              WHERE v.tenant_id = p_tenant AND v.cue = ANY (cues)
                  AND (v.other_cue IS NULL OR v.other_cue = ANY (cues)) AND v.reach <> 'text') c
            ON c.cue = hashtextextended(w.word, 0)
        CROSS JOIN LATERAL (SELECT w.place::int - c.cue_place + 1 AS first) f
        CROSS JOIN LATERAL (
            SELECT x.edit_id, x.reach FROM memory_removedvalue x
            WHERE x.tenant_id = p_tenant AND x.reach <> 'text' AND x.digest = sha256(convert_to(
                    array_to_string(words[f.first : f.first + c.length - 1], ' '), 'UTF8'))
                AND is_removed_about(x, p_subject_type, p_subject_id)
            OFFSET 0
        ) v
        WHERE f.first BETWEEN starts AND CASE WHEN token IS NULL THEN piece_length ELSE piece_length - overlap + context END
            AND f.first + c.length - 1 <= cardinality(words)
            AND is_said_in(words, marks, f.first, f.first + c.length - 1, v.reach)
        ORDER BY v.edit_id LIMIT 1;
        IF FOUND THEN RETURN retract; END IF;
        words := words[piece_length - overlap + 1 :];
        marks := marks[piece_length - overlap + 1 :];
        starts := context + 1;
    END LOOP;
    RETURN NULL;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.renew_recovery_codes(p_token text, p_codes text[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM replace_recovery_codes(token_bearer(p_token), p_codes);
END $function$

-- owner suture_gate; EXECUTE to suture_gate, EXECUTE to suture_owner
CREATE OR REPLACE FUNCTION public.repair_capsules(p_tenant uuid)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE bad uuid[];
BEGIN
    bad := ARRAY(SELECT d.id FROM capsules_drift(p_tenant) d);
    DELETE FROM capsules_effectivecapsule x WHERE x.tenant_id = p_tenant AND x.id = ANY (bad);
    INSERT INTO capsules_effectivecapsule SELECT k.* FROM expected_capsules(p_tenant) k WHERE k.id = ANY (bad);
    RETURN cardinality(bad);
END $function$

-- owner suture_gate; EXECUTE to suture_gate, EXECUTE to suture_owner
CREATE OR REPLACE FUNCTION public.repair_effective(p_tenant uuid)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    bad record;
    d memory_decision;
    mended uuid[] := '{}';
    neighbours uuid[];
    repaired bigint := 0;
BEGIN
    FOR bad IN SELECT * FROM effective_drift(p_tenant) LOOP
        repaired := repaired + 1;
        IF bad.kind = 'usage' THEN
            PERFORM recount_use(p_tenant, bad.id);
            CONTINUE;
        END IF;
        CASE bad.kind
            WHEN 'chunk' THEN
                DELETE FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.id = bad.id;
                PERFORM project_chunks(p_tenant, ARRAY[bad.id]);
                mended := mended || bad.id;
            WHEN 'decision' THEN
                DELETE FROM memory_effectivedecision x WHERE x.tenant_id = p_tenant AND x.id = bad.id;
                INSERT INTO memory_effectivedecision (tenant_id, id, event_id, content_id, details_id, importance,
                    status, is_retracted, is_quarantined, blocked_channels, edits_applied, scope, subject_type,
                    subject_id, project_id, session_id, channel, sensitivity, ts)
                SELECT p_tenant, y.id, y.event_id, y.content_id, y.details_id, 1, 'active', false, false, '{}', 0,
                    y.scope, y.subject_type, y.subject_id, y.project_id, y.session_id, y.channel, y.sensitivity, y.ts
                FROM memory_decision y WHERE y.tenant_id = p_tenant AND y.id = bad.id;
            ELSE
                DELETE FROM memory_effectivetask x WHERE x.tenant_id = p_tenant AND x.id = bad.id;
                INSERT INTO memory_effectivetask (tenant_id, id, update_id, event_id, content_id, details_id, status,
                    is_retracted, is_quarantined, blocked_channels, edits_applied, scope, subject_type, subject_id,
                    project_id, session_id, channel, sensitivity, ts)
                SELECT p_tenant, y.task_id, y.id, y.event_id, y.content_id, y.details_id, y.status, false, false,
                    '{}', 0, y.scope, y.subject_type, y.subject_id, y.project_id, y.session_id, y.channel,
                    y.sensitivity, y.ts
                FROM memory_task y WHERE y.tenant_id = p_tenant AND y.task_id = bad.id
                ORDER BY y.ts DESC, y.id DESC LIMIT 1;
        END CASE;
        CONTINUE WHEN bad.problem = 'without a record';
        CASE bad.kind
            WHEN 'chunk' THEN
                PERFORM refold_memory(p_tenant, k.event_id, bad.id) FROM chunk_of(p_tenant, bad.id) k;
                PERFORM void_derived(p_tenant, ARRAY[bad.id]);  -- it was derived from the drifted row
            WHEN 'decision' THEN
                PERFORM refold_one_decision(p_tenant, bad.id);
                -- the status follows from the successor's row, which may have been missing until now
                SELECT * INTO d FROM memory_decision y WHERE y.tenant_id = p_tenant AND y.id = bad.id;
                IF d.supersedes_id IS NOT NULL THEN PERFORM refold_one_decision(p_tenant, d.supersedes_id); END IF;
            ELSE PERFORM refold_task(p_tenant, bad.id);
        END CASE;
    END LOOP;
    IF repaired > 0 THEN  -- neighbours of what was repaired had words of the wrong rows
        neighbours := surroundings_of(p_tenant, mended) || ARRAY(
            SELECT f.id FROM effective_drift(p_tenant) f WHERE f.kind = 'chunk' ORDER BY 1);
        PERFORM change_context(p_tenant, refresh_context(p_tenant, neighbours), true);
    END IF;
    RETURN repaired;
END $function$

-- owner suture_gate; EXECUTE to suture_gate, EXECUTE to suture_owner
CREATE OR REPLACE FUNCTION public.repair_embeddings(p_tenant uuid)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE chunks uuid[] := ARRAY(SELECT DISTINCT d.id FROM embedding_drift(p_tenant) d ORDER BY 1);
BEGIN
    PERFORM void_derived_of_memory(p_tenant, chunks);
    RETURN cardinality(chunks);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.replace_policy_rules(p_tenant uuid, p_preset text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE me acting_context := acting_manager(p_tenant);
BEGIN
    PERFORM FROM governance_tenant t WHERE t.id = p_tenant FOR NO KEY UPDATE;
    IF me.kind <> 'system' AND EXISTS (SELECT FROM governance_policyrule r WHERE r.tenant_id = p_tenant) THEN
        RAISE EXCEPTION 'only the operator replaces the policy at once' USING ERRCODE = 'SU403';
    END IF;
    PERFORM write_policy_rules(p_tenant, p_preset, '[]', NULL);
    PERFORM owe_entry(p_tenant, 'policy.changed', p_preset);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.replace_recovery_codes(p_user uuid, p_codes text[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE device int;
BEGIN
    DELETE FROM otp_static_statictoken t USING otp_static_staticdevice d WHERE d.id = t.device_id AND d.user_id = p_user;
    DELETE FROM otp_static_staticdevice d WHERE d.user_id = p_user;
    IF p_codes = '{}' THEN RETURN; END IF;
    INSERT INTO otp_static_staticdevice (user_id, name, confirmed, throttling_failure_count, created_at)
    VALUES (p_user, 'recovery codes', true, 0, clock_timestamp()) RETURNING id INTO device;
    INSERT INTO otp_static_statictoken (device_id, token) SELECT device, x FROM unnest(p_codes) x;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.report_turn(p_tenant uuid, p_running uuid, p_depth integer, p_turn bigint, p_state_sha256 bytea, p_checkpoint uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_tenant(p_tenant);
    PERFORM session_to_use(p_tenant, p_running, 'continue');
    INSERT INTO memory_sessionturn AS t (tenant_id, id, running_id, depth, turn, is_reported, state_sha256,
        checkpoint_id, checkpointed_turn)
    VALUES (p_tenant, new_id(), p_running, p_depth, p_turn, true, p_state_sha256, p_checkpoint, 0)
    ON CONFLICT (tenant_id, running_id, depth) DO UPDATE SET turn = excluded.turn, is_reported = true,
        state_sha256 = excluded.state_sha256, checkpoint_id = excluded.checkpoint_id
    WHERE t.turn < excluded.turn OR t.turn = excluded.turn AND NOT t.is_reported;
    IF NOT FOUND THEN RAISE EXCEPTION 'the session is beyond this turn' USING ERRCODE = 'SU409'; END IF;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.requeue_embeddings(p_tenant uuid, p_chunks uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
    INSERT INTO memory_embeddingitem AS i (tenant_id, id, state, due_at, tries)
    SELECT p_tenant, c.id, 'waiting', statement_timestamp(), 0 FROM unnest(p_chunks) AS c (id)
    CROSS JOIN LATERAL (
        SELECT FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.id = c.id
          AND NOT x.is_retracted AND x.superseded_by IS NULL LIMIT 1) seen
    ORDER BY c.id
    ON CONFLICT (tenant_id, id) DO UPDATE SET state = 'waiting', due_at = excluded.due_at, tries = 0, error = NULL
    WHERE i.state <> 'off';
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.requeue_promotions(p_tenant uuid, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
    last uuid;
    next uuid[];
BEGIN
    PERFORM require_job(p_tenant);
    SELECT t.promotion_cursor INTO last FROM governance_tenant t
    WHERE t.id = p_tenant AND t.promotion_cursor IS NOT NULL FOR NO KEY UPDATE SKIP LOCKED;
    IF NOT FOUND THEN RETURN 0; END IF;
    next := ARRAY(
        SELECT u.id FROM (
            (SELECT a.id FROM memory_chunkaccess a WHERE a.tenant_id = p_tenant AND a.id > last ORDER BY a.id LIMIT p_limit)
            UNION
            (SELECT d.id FROM memory_promotiondue d WHERE d.tenant_id = p_tenant AND d.id > last ORDER BY d.id LIMIT p_limit)
            UNION  -- never used, and moved by hand or hidden since
            (SELECT c.id FROM memory_promotioncheck c WHERE c.tenant_id = p_tenant AND c.id > last ORDER BY c.id LIMIT p_limit)
        ) u ORDER BY u.id LIMIT p_limit);
    PERFORM queue_promotions(p_tenant, next);
    UPDATE governance_tenant t SET promotion_cursor = next[cardinality(next)] WHERE t.id = p_tenant;
    RETURN cardinality(next);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.require_job(p_tenant uuid)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    IF me.kind NOT IN ('job', 'system') THEN
        RAISE EXCEPTION 'only a job or the operator can do this' USING ERRCODE = 'SU403';
    END IF;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.require_own_chain(p_tenant uuid, p_agent uuid)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    IF me.kind = 'agent' AND me.id <> p_agent THEN
        RAISE EXCEPTION 'an agent reads its own chain only' USING ERRCODE = 'SU403';
    END IF;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.require_revertible(p_tenant uuid, p_target uuid, p_edit uuid)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_tenant(p_tenant);
    IF NOT EXISTS (SELECT 1 FROM applied_edits(p_tenant, ARRAY[p_target], NULL) x WHERE x.id = p_edit) THEN
        RAISE EXCEPTION 'only an applied edit of the same target can be reverted' USING ERRCODE = 'SU409';
    END IF;
    IF p_edit = ANY (cancelled_edits(p_tenant, ARRAY[p_target], NULL)) THEN
        RAISE EXCEPTION 'the edit is already reverted' USING ERRCODE = 'SU409';
    END IF;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.require_second_person(p_tenant uuid, p_first uuid[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    IF counted_as(p_tenant, ARRAY[me.id]) && counted_as(p_tenant, array_remove(p_first, NULL)) THEN
        RAISE EXCEPTION 'another person must approve this: you issued the key that it was proposed with, or one of you made or reset the account of the other within a day'
            USING ERRCODE = 'SU403', CONSTRAINT = 'needs_second_person';
    END IF;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.require_target_type(p_target_type text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    IF p_target_type IS NULL
        OR to_regproc(format('%I', 'state_of_' || p_target_type)) IS NULL THEN
        RAISE EXCEPTION 'you cannot edit a %', coalesce(p_target_type, 'target without a type')
            USING ERRCODE = 'SU400';
    END IF;
END $function$

-- owner suture_gate; EXECUTE to suture_gate, EXECUTE to suture_owner
CREATE OR REPLACE FUNCTION public.require_tenant(p_tenant uuid)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    IF p_tenant IS NULL OR p_tenant IS DISTINCT FROM context_tenant() THEN
        RAISE EXCEPTION 'the tenant asked for is not the tenant of this transaction' USING ERRCODE = 'SU403';
    END IF;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.resolve_audience(p_tenant uuid, p_audience json)
 RETURNS TABLE(place text, agent_id uuid, fault text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    RETURN QUERY
    SELECT n.place, n.found, CASE WHEN n.found IS NULL THEN 'unknown' WHEN n.times > 1 THEN 'repeated' END FROM (
        SELECT x.place, x.at, g.id AS found, row_number() OVER (PARTITION BY g.id ORDER BY x.at) AS times
        FROM json_to_recordset(p_audience) AS x (place text, at int, id uuid, slug text)
        LEFT JOIN governance_agent s ON s.tenant_id = p_tenant AND s.slug = x.slug
        LEFT JOIN governance_agent g ON g.tenant_id = p_tenant AND g.id = coalesce(x.id, s.id) AND g.is_active
    ) n ORDER BY n.at;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.resume_session(p_tenant uuid, p_checkpoint uuid, OUT is_resumed boolean)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    me acting_context := acting(p_tenant);
    c memory_checkpoint := checkpoint_to_use(p_tenant, p_checkpoint, 'read');
    is_automatic boolean := c.kind = 'automatic';
BEGIN
    is_resumed := EXISTS (SELECT FROM memory_runningsession s
                          WHERE s.tenant_id = p_tenant AND s.id = c.running_id AND s.owner_id = me.id)
        OR EXISTS (SELECT FROM memory_sessionshare h WHERE h.tenant_id = p_tenant AND h.running_id = c.running_id
                     AND h.agent_id = me.id AND h.may_continue);
    PERFORM owe_entry(p_tenant, 'checkpoint.restored', p_checkpoint::text);
    IF NOT is_resumed THEN RETURN; END IF;
    UPDATE memory_runningsession s SET status = 'resumed', resumed_from = p_checkpoint, resumed_at = clock_timestamp()
    WHERE s.tenant_id = p_tenant AND s.id = c.running_id;
    DELETE FROM memory_sessionturn t
    WHERE t.tenant_id = p_tenant AND t.running_id = c.running_id AND t.depth > c.depth;
    -- the turn of a manual checkpoint was not reported yet when it was made
    INSERT INTO memory_sessionturn AS t (tenant_id, id, running_id, depth, turn, is_reported, state_sha256,
        checkpoint_id, checkpointed_turn)
    VALUES (p_tenant, new_id(), c.running_id, c.depth, c.turn, is_automatic,
        CASE WHEN is_automatic THEN c.state_sha256 END, CASE WHEN is_automatic THEN c.id END, c.turn)
    ON CONFLICT (tenant_id, running_id, depth) DO UPDATE SET turn = excluded.turn, is_reported = excluded.is_reported,
        state_sha256 = excluded.state_sha256, checkpoint_id = excluded.checkpoint_id,
        checkpointed_turn = excluded.checkpointed_turn;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.retention_of_capsule(p_tenant uuid, p_capsule uuid)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    RETURN (SELECT 'relationship' FROM capsules_capsule c WHERE c.tenant_id = p_tenant AND c.id = p_capsule);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.retention_of_chunk(p_tenant uuid, p_chunk uuid)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    RETURN (SELECT k.retention FROM memory_chunk k WHERE k.tenant_id = p_tenant AND k.id = p_chunk);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.retention_of_decision(p_tenant uuid, p_decision uuid)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    RETURN (SELECT e.retention FROM memory_decision d
            CROSS JOIN LATERAL event_of(p_tenant, d.event_id) e
            WHERE d.tenant_id = p_tenant AND d.id = p_decision);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.retention_of_target(p_tenant uuid, p_target_type text, p_target uuid)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE retention text;
BEGIN
    EXECUTE format('SELECT %I($1, $2)', 'retention_of_' || p_target_type) INTO retention USING p_tenant, p_target;
    RETURN retention;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.retry_embeddings(p_tenant uuid, p_chunks uuid[])
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE retried int;
BEGIN
    PERFORM require_tenant(p_tenant);
    UPDATE memory_embeddingitem i SET state = 'waiting', tries = 0, error = NULL, due_at = statement_timestamp()
    WHERE i.tenant_id = p_tenant AND i.state = 'isolated' AND (p_chunks IS NULL OR i.id = ANY (p_chunks));
    GET DIAGNOSTICS retried = ROW_COUNT;
    RETURN retried;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.revoke_capsule(p_tenant uuid, p_capsule uuid)
 RETURNS TABLE(refusal text, capsule_id uuid, revoked_at timestamp with time zone, is_new boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    me acting_context := acting(p_tenant);
    x capsules_effectivecapsule;
    held uuid[];
BEGIN
    SELECT * INTO x FROM capsules_effectivecapsule y WHERE y.tenant_id = p_tenant AND y.id = p_capsule;
    IF NOT FOUND OR x.is_retracted THEN refusal := 'unknown'; RETURN NEXT; RETURN; END IF;
    IF (x.author_kind <> me.kind OR x.authored_by <> me.id) AND NOT 'admin' = ANY (me.roles)
    THEN refusal := 'not_yours'; RETURN NEXT; RETURN; END IF;
    held := lock_capsules(p_tenant, p_capsule);
    SELECT * INTO x FROM capsules_effectivecapsule y WHERE y.tenant_id = p_tenant AND y.id = p_capsule;
    IF x.status = 'revoked' THEN
        capsule_id := p_capsule; revoked_at := x.revoked_at; is_new := false;
        RETURN NEXT; RETURN;
    END IF;
    IF x.status = 'expired' OR x.expires_at <= statement_timestamp() THEN
        refusal := 'expired'; RETURN NEXT; RETURN;
    END IF;
    RETURN QUERY
    WITH ended AS (
        UPDATE capsules_effectivecapsule y SET status = 'revoked', revoked_at = statement_timestamp()
        WHERE y.tenant_id = p_tenant AND y.id = ANY (held) AND y.status = 'active'
          AND y.expires_at > statement_timestamp()
        RETURNING y.id, y.revoked_at
    )
    SELECT NULL, e.id, e.revoked_at, true FROM ended e ORDER BY e.id <> p_capsule, e.id;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.revoke_key(p_tenant uuid, p_prefix text, OUT key_id uuid, OUT refusal text)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE revoked timestamptz;
BEGIN
    PERFORM acting_manager(p_tenant);
    -- of two at once, the second waits here and then finds it revoked
    SELECT k.id, k.revoked_at INTO key_id, revoked FROM governance_apikey k
    WHERE k.tenant_id = p_tenant AND k.prefix = p_prefix FOR UPDATE;
    IF NOT FOUND THEN refusal := 'no_such_key'; RETURN; END IF;
    IF revoked IS NOT NULL THEN refusal := 'key_already_revoked'; RETURN; END IF;
    UPDATE governance_apikey k SET revoked_at = clock_timestamp() WHERE k.tenant_id = p_tenant AND k.id = key_id;
    PERFORM owe_entry(p_tenant, 'key.revoked', key_id::text);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.reword_of_memory(p_tenant uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_tenant(p_tenant);
    INSERT INTO memory_pendingcontext (tenant_id, id, is_reworded)
    SELECT p_tenant, x.id, true FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND NOT x.is_retracted
    ON CONFLICT (tenant_id, id) DO UPDATE SET is_reworded = true;
END $function$

-- owner suture_gate; EXECUTE to suture_gate, EXECUTE to suture_review
CREATE OR REPLACE FUNCTION public.risks_in(p_body text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT coalesce((capsule_amend(p_body) -> 'risks')::text, p_body)
$function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.rows_without_receipt(p_tenant uuid, p_kind text, p_table text, p_limit integer)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
    page_size constant int := 10000;
    page uuid[];
    found uuid[] := '{}';
    after uuid;
    is_last boolean;
BEGIN
    PERFORM require_job(p_tenant);
    -- Page by page, the sealed ones of a page in one look: joined row by row, with no statistics of new leaves yet, every
    -- row walked all of the tenant's leaves. What is not sealed is compared with the receipts in a later statement, which
    -- sees those of all rows of the page.
    WHILE cardinality(found) < p_limit LOOP
        EXECUTE format(
            'SELECT array_agg(n.id ORDER BY n.id) FROM (SELECT x.id FROM %I x WHERE x.tenant_id = $1'
            ' AND ($2 IS NULL OR x.id > $2) ORDER BY x.id LIMIT $3) n', p_table)
            INTO page USING p_tenant, after, page_size;
        EXIT WHEN page IS NULL;
        after := page[cardinality(page)];
        is_last := cardinality(page) < page_size;
        page := ARRAY(
            SELECT unnest(page) EXCEPT
            SELECT l.row_id FROM governance_leaf l
            WHERE l.tenant_id = p_tenant AND l.kind = p_kind AND l.row_id = ANY (page) ORDER BY 1);
        IF cardinality(page) > 0 THEN
            found := found || ARRAY(
                SELECT unnest(page) EXCEPT
                SELECT unnest(r.row_ids) FROM governance_unsealedreceipt u
                JOIN governance_receipt r ON r.tenant_id = u.tenant_id AND r.id = u.id WHERE u.tenant_id = p_tenant
                ORDER BY 1);
        END IF;
        EXIT WHEN is_last;
    END LOOP;
    RETURN QUERY SELECT unnest(found[1:p_limit]);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.sampled_chunks(p_tenant uuid, p_terms tsquery)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    RETURN (SELECT count(*) FROM memory_effectivechunk x WHERE has_terms(x, v_tenant, p_terms) AND is_counted(x));
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.scope_leaf(p_scope text, p_subject_type text, p_subject_id text, p_project_id text, p_session_id text, p_channel text, p_sensitivity text, p_ts timestamp with time zone)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
    SELECT jsonb_build_array(p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id, p_channel, p_sensitivity,
        microseconds(p_ts))
$function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.seal_tree(p_tenant uuid, p_size bigint, p_root bytea, p_levels smallint[], p_indexes bigint[], p_hashes bytea[], p_receipts uuid[], p_caught_up timestamp with time zone, p_swept timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_job(p_tenant);
    INSERT INTO governance_treenode (tenant_id, id, level, index, hash)
    SELECT p_tenant, new_id(), x.level, x.index, x.hash FROM unnest(p_levels, p_indexes, p_hashes) AS x (level, index, hash);
    DELETE FROM governance_unsealedreceipt u WHERE u.tenant_id = p_tenant AND u.id = ANY (p_receipts);
    UPDATE governance_merkletree t SET root = p_root, sealed_at = statement_timestamp(),
        caught_up_at = coalesce(p_caught_up, t.caught_up_at), swept_at = coalesce(p_swept, t.swept_at)
    WHERE t.tenant_id = p_tenant AND t.size = p_size;
    IF NOT FOUND THEN RAISE EXCEPTION 'the tree has changed since it was read' USING ERRCODE = 'SU409'; END IF;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.search_chunks(p_tenant uuid, p_query text, p_listening text[], p_channels text[], p_include_quarantined boolean, p_include_archived boolean, p_scope text, p_subject_type text, p_subject_id text, p_project_id text, p_session_id text, p_limit integer, p_highlight boolean, p_explain boolean, p_mode text, p_alpha real, p_vector halfvec, p_model text, p_collapse boolean, p_after_rank real, p_after_scale double precision, p_after_importance numeric, p_after_ts timestamp with time zone, p_after_id uuid, p_without_recorders text[])
 RETURNS TABLE(chunk_id uuid, text text, snippet text, importance numeric, ts timestamp with time zone, rank real, edits_applied integer, is_quarantined boolean, event_id uuid, session_id text, scope text, subject_type text, subject_id text, project_id text, channel text, tier text, source text, recorder text, total_count bigint, ranking text, following bigint, tags text[], scale double precision, words real, meaning real, is_named boolean, is_question boolean, alpha real, asking real, duplicates uuid[], lent jsonb, unknown jsonb)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    v_tenant uuid := p_tenant;
    f search_filter := (p_listening, labels_heard(p_tenant, p_listening, p_include_quarantined), p_channels,
        p_include_quarantined, p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id, p_include_archived, p_without_recorders);
    m search_meaning := (p_mode, p_alpha, p_vector, p_model);
    after search_place := (p_after_rank, p_after_scale, p_after_importance, p_after_ts, p_after_id);
    q search_question;
    unknown_of_query jsonb;
BEGIN
    q := parse_question(search_language(p_tenant), p_query);
    unknown_of_query := (SELECT jsonb_agg(u) FROM unknown_terms(p_tenant, q.terms) u);
    RETURN QUERY
    SELECT r.chunk_id, r.text, highlighted(q.language, r.text, q.marked, p_highlight), r.importance, r.ts, k.rank,
        r.edits_applied, r.is_quarantined, r.event_id, r.session_id, r.scope, r.subject_type, r.subject_id,
        r.project_id, r.channel, r.tier, r.source, r.recorder, k.match_count, k.ranking, k.following, r.tags,
        k.scale, k.words, k.meaning, k.is_named, k.is_question, k.alpha, k.asking, k.duplicates,
        CASE WHEN p_explain THEN lent_words(v_tenant, r.chunk_id, q.terms, f) END, unknown_of_query
    FROM ranked_chunks(v_tenant, q, f, m, p_collapse, p_limit, after) WITH ORDINALITY
        AS k (id, rank, words, meaning, is_named, is_question, alpha, asking, scale, match_count, ranking, following,
            duplicates, place)
    CROSS JOIN LATERAL (
        SELECT * FROM chunk_rows(v_tenant, ARRAY[k.id], p_listening, f.sensitivities, p_include_quarantined) LIMIT 1) r
    ORDER BY k.place;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.search_language(p_tenant uuid)
 RETURNS regconfig
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
    RETURN (SELECT t.search_language::regconfig FROM governance_tenant t WHERE t.id = p_tenant);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.search_query(p_language regconfig, p_query text)
 RETURNS tsquery
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    starred constant text := '(?<![^[:space:]"])(-?)([[:alnum:]_]{3,32})[*](?![^[:space:]"])';
    -- stands for the star: letters and digits that the parser keeps whole and no dictionary stems
    place constant text := 'sutureprefix';
    plain text := spaced_text(p_query);
    prefixes text[] := '{}';
    word text;
    prefix tsquery;
    stem tsquery;
    q tsquery;
BEGIN
    LOOP
        word := (regexp_match(plain, starred))[2];
        EXIT WHEN word IS NULL;
        prefixes := prefixes || lower(word);
        plain := regexp_replace(plain, starred, '\1' || place || cardinality(prefixes));
    END LOOP;
    BEGIN
        q := websearch_to_tsquery(p_language, plain);
    EXCEPTION WHEN internal_error THEN
        -- PostgreSQL fails on more than 32 minus signs in a row, such as a ruled line: use the words alone
        q := plainto_tsquery(p_language, plain);
    END;
    FOR i IN 1 .. cardinality(prefixes) LOOP
        prefix := to_tsquery('simple', prefixes[i] || ':*');
        stem := to_tsquery(p_language, prefixes[i] || ':*');
        q := ts_rewrite(q, (place || i)::tsquery, CASE WHEN numnode(stem) = 0 THEN prefix ELSE prefix || stem END);
    END LOOP;
    RETURN q;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.seen_version(p_tenant uuid, p_chunk uuid, p_include_quarantined boolean)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    RETURN (
        SELECT x.edits_applied FROM memory_effectivechunk x
        WHERE x.tenant_id = p_tenant AND x.id = p_chunk AND EXISTS (
            SELECT FROM unnest(me.channels) c (name)
            WHERE is_seen(x, ARRAY[c.name], sensitivities_heard(p_tenant, ARRAY[c.name]), p_include_quarantined)));
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.semantic_candidates(p_tenant uuid, p_vector halfvec, p_model text, f search_filter, p_limit integer)
 RETURNS TABLE(chunk_id uuid, score real)
 LANGUAGE plpgsql
 STABLE ROWS 100
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
DECLARE
    dims int := vector_dims(p_vector);
    rows_here bigint;   -- of the tenant, about
    rows_all float8;
    few bigint;         -- so many are compared one by one
    ids uuid[];
    take bigint;
    looked_at bigint;
    nearest uuid[];
    distances real[];
    expression text;
BEGIN
    IF p_vector IS NULL OR p_limit < 1 THEN RETURN; END IF;
    SELECT m.row_count INTO rows_here FROM memory_embeddingmodel m
    WHERE m.tenant_id = p_tenant AND m.model = p_model AND m.dimensions = dims;
    IF NOT FOUND THEN RETURN; END IF;
    SELECT greatest(c.reltuples, rows_here) INTO rows_all FROM pg_class c WHERE c.oid = 'memory_embedding'::regclass;
    few := CASE WHEN dims IN (384, 512, 768, 1024, 1536, 3072)
        THEN greatest(20000, least(sqrt(60.0 * p_limit * rows_all), 200000)) ELSE 1000000000 END;

    IF num_nonnulls(f.scope, f.subject_type, f.subject_id, f.project_id, f.session_id) > 0 THEN
        ids := ARRAY(
            SELECT x.id FROM memory_effectivechunk x
            WHERE x.tenant_id = p_tenant AND is_found(x, f) LIMIT few + 1);
        IF cardinality(ids) <= few THEN
            RETURN QUERY
            SELECT e.chunk_id, (1 - (e.dense <=> p_vector))::real
            FROM unnest(ids) AS i (id)
            CROSS JOIN LATERAL (
                SELECT v.chunk_id, v.dense FROM memory_embedding v
                WHERE v.tenant_id = p_tenant AND v.chunk_id = i.id AND v.space = 'E1' AND v.model = p_model LIMIT 1) e
            ORDER BY e.dense <=> p_vector, e.chunk_id LIMIT p_limit;
            RETURN;
        END IF;
    END IF;

    IF rows_here > few THEN
        PERFORM set_config('hnsw.iterative_scan', 'relaxed_order', true),
            set_config('hnsw.ef_search', greatest(100, least(p_limit, 1000))::text, true);
        expression := CASE WHEN dims > 1024
            THEN format('(binary_quantize(e.dense)::bit(%s)) <~> (binary_quantize($1)::bit(%s))', dims, dims)
            ELSE format('(e.dense::halfvec(%s)) <=> ($1::halfvec(%s))', dims, dims) END;
        EXECUTE format(
            'SELECT array_agg(n.chunk_id ORDER BY n.d, n.chunk_id), array_agg(n.d ORDER BY n.d, n.chunk_id) FROM ('
            ' SELECT e.chunk_id, (e.dense <=> $1)::real AS d FROM memory_embedding e CROSS JOIN LATERAL ('
            '  SELECT FROM memory_effectivechunk x WHERE x.tenant_id = $2 AND x.id = e.chunk_id'
            '   AND is_found(x, $4) LIMIT 1) seen'
            ' WHERE e.tenant_id = $2 AND e.model = $3 AND e.space = ''E1'' AND vector_dims(e.dense) = %s'
            ' ORDER BY %s LIMIT $5) n', dims, expression)
        INTO nearest, distances
        USING p_vector, p_tenant, p_model, f, CASE WHEN dims > 1024 THEN greatest(200, 2 * p_limit) ELSE p_limit END;
    END IF;

    take := p_limit;
    WHILE coalesce(cardinality(nearest), 0) < p_limit LOOP
        take := take * 4;
        WITH near AS MATERIALIZED (
            SELECT v.chunk_id, (v.dense <=> p_vector)::real AS d FROM memory_embedding v
            WHERE v.tenant_id = p_tenant AND v.model = p_model AND v.space = 'E1'
            ORDER BY 2, 1 LIMIT take
        )
        SELECT array_agg(n.chunk_id ORDER BY n.d, n.chunk_id), array_agg(n.d ORDER BY n.d, n.chunk_id),
            (SELECT count(*) FROM near)
        INTO nearest, distances, looked_at
        FROM near n
        CROSS JOIN LATERAL (
            SELECT FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.id = n.chunk_id
              AND is_found(x, f) LIMIT 1) seen;
        EXIT WHEN looked_at < take;
    END LOOP;
    RETURN QUERY SELECT n.id, (1 - n.d)::real FROM unnest(nearest, distances) AS n (id, d) LIMIT p_limit;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.semantic_scores(p_tenant uuid, p_ids uuid[], m search_meaning)
 RETURNS TABLE(chunk_id uuid, score real)
 LANGUAGE plpgsql
 STABLE ROWS 100
AS $function$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    IF m.vector IS NULL THEN RETURN; END IF;
    RETURN QUERY
    SELECT e.chunk_id, (1 - (e.dense <=> m.vector))::real
    FROM (SELECT DISTINCT u.id FROM unnest(p_ids) u (id)) i
    CROSS JOIN LATERAL (
        SELECT v.chunk_id, v.dense FROM memory_embedding v
        WHERE v.tenant_id = v_tenant AND v.chunk_id = i.id AND v.space = 'E1' AND v.model = m.model LIMIT 1) e
    WHERE e.dense IS NOT NULL;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.sensitivities_heard(p_tenant uuid, p_listening text[])
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    IF p_listening IS NULL AND me.kind <> 'agent' THEN RETURN NULL; END IF;
    IF p_listening IS NULL OR p_listening = '{}' OR NOT p_listening <@ me.channels THEN
        RAISE EXCEPTION 'this key does not speak in that channel' USING ERRCODE = 'SU403';
    END IF;
    RETURN me.channels
        || CASE WHEN p_listening <@ '{private,team}' THEN '{none,low,high}'::text[] ELSE '{none,low}' END;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.sensitivity_given(p_tenant uuid, p_session_id text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    me acting_context := acting(p_tenant);
    v_tenant uuid := p_tenant;
    heard text[] := CASE WHEN me.channels && '{private,team}' THEN '{low,high}' ELSE '{low}' END;
    given text;
    said text;
BEGIN
    SELECT b.sensitivity INTO given FROM memory_contextbundle b
    WHERE b.tenant_id = v_tenant AND b.actor_id = me.id AND b.request ->> 'session_id' = p_session_id
      AND b.sensitivity IN ('low', 'high')
    ORDER BY b.sensitivity LIMIT 1;  -- high comes first
    SELECT min(s.sensitivity) INTO said FROM (
        SELECT x.sensitivity, x.channel FROM memory_effectivechunk x
        WHERE x.tenant_id = v_tenant AND x.session_id = p_session_id AND NOT x.is_retracted
        ORDER BY x.ts DESC LIMIT 10000
    ) s
    WHERE s.sensitivity = ANY (heard) AND s.channel = ANY (me.channels);
    RETURN more_sensitive(coalesce(given, 'none'), coalesce(said, 'none'));
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.session_to_use(p_tenant uuid, p_running uuid, p_use text)
 RETURNS memory_runningsession
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    me acting_context := acting(p_tenant);
    s memory_runningsession;
BEGIN
    SELECT * INTO s FROM memory_runningsession x WHERE x.tenant_id = p_tenant AND x.id = p_running FOR UPDATE;
    IF NOT FOUND THEN RAISE EXCEPTION 'there is no such session' USING ERRCODE = 'SU404'; END IF;
    IF s.status = 'deleted' THEN
        RAISE EXCEPTION 'this session was deleted' USING ERRCODE = 'SU404', CONSTRAINT = 'session_was_deleted';
    END IF;
    IF me.kind = 'agent' AND s.owner_id = me.id THEN RETURN s; END IF;
    IF p_use = 'remove' AND me.kind = 'human' AND 'admin' = ANY (me.roles) THEN RETURN s; END IF;
    IF me.kind = 'agent' AND p_use IN ('read', 'continue') AND EXISTS (
        SELECT FROM memory_sessionshare h WHERE h.tenant_id = p_tenant AND h.running_id = p_running
          AND h.agent_id = me.id AND (p_use = 'read' OR h.may_continue)) THEN RETURN s; END IF;
    RAISE EXCEPTION 'this session is another agent''s' USING ERRCODE = 'SU403', CONSTRAINT = 'session_of_another';
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.set_account_active(p_tenant uuid, p_user uuid, p_active boolean, OUT tenants uuid[], OUT refusal text)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    me acting_context := acting_superuser(p_tenant);
    others boolean;
BEGIN
    IF NOT p_active THEN
        IF p_user = me.id THEN refusal := 'own_account'; RETURN; END IF;
        -- Two superusers who deactivate each other wait here: the second finds only one left.
        SELECT bool_or(x.is_superuser AND x.is_active AND x.id <> p_user) INTO others FROM (
            SELECT * FROM governance_user u
            WHERE u.id = p_user OR u.is_superuser AND u.is_active ORDER BY u.id FOR UPDATE) x;
        IF others IS NOT TRUE THEN refusal := 'last_superuser'; RETURN; END IF;
        tenants := opened_by(p_user);
    END IF;
    UPDATE governance_user u SET is_active = p_active, sessions_ended = u.sessions_ended + (NOT p_active)::int
    WHERE u.id = p_user AND u.is_active <> p_active;
    IF NOT FOUND THEN refusal := 'nothing_to_change'; RETURN; END IF;
    tenants := owe_everywhere(coalesce(tenants, opened_by(p_user)) || p_tenant,
        CASE WHEN p_active THEN 'person.activated' ELSE 'person.deactivated' END, p_user);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.set_agent_active(p_tenant uuid, p_agent uuid, p_active boolean, OUT refusal text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM acting_manager(p_tenant);
    UPDATE governance_agent a SET is_active = p_active
    WHERE a.tenant_id = p_tenant AND a.id = p_agent AND a.is_active <> p_active;
    IF NOT FOUND THEN refusal := 'nothing_to_change'; RETURN; END IF;
    PERFORM owe_entry(p_tenant, CASE WHEN p_active THEN 'agent.activated' ELSE 'agent.deactivated' END, p_agent::text);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.set_confidence(p_tenant uuid, p_chunk uuid, p_confidence numeric, p_reason text, OUT changed_at timestamp with time zone, OUT before numeric)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE me acting_context := acting_writer(p_tenant);
BEGIN
    IF me.kind <> 'human' THEN
        RAISE EXCEPTION 'only a reviewer or admin of the tenant can set the confidence in a memory'
            USING ERRCODE = 'SU403';
    END IF;
    IF seen_version(p_tenant, p_chunk, true) IS NULL THEN RETURN; END IF;
    before := lock_access(p_tenant, p_chunk);
    changed_at := clock_timestamp();
    PERFORM change_confidence(p_tenant, p_chunk, 'manual', p_confidence, changed_at, p_reason, NULL, false);
    PERFORM owe_entry(p_tenant, 'confidence.changed', p_chunk::text);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.set_ledger_alarm(p_tenant uuid, p_reason text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_job(p_tenant);
    IF p_reason IS NOT NULL THEN
        INSERT INTO governance_merkletree (tenant_id, id, size) VALUES (p_tenant, new_id(), 0) ON CONFLICT DO NOTHING;
    END IF;
    UPDATE governance_merkletree t SET alarm = p_reason,
        alarm_at = CASE WHEN p_reason IS NOT NULL THEN coalesce(t.alarm_at, statement_timestamp()) END
    WHERE t.tenant_id = p_tenant AND t.alarm IS DISTINCT FROM p_reason;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.set_own_password(p_token text, p_password text, p_is_new boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    UPDATE governance_user u SET password = p_password,
        one_time_password_until = CASE WHEN NOT p_is_new THEN u.one_time_password_until END
    WHERE u.id = token_bearer(p_token);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.set_quarantine_reader(p_tenant uuid, p_agent uuid, p_allowed boolean, OUT refusal text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM acting_manager(p_tenant);
    UPDATE governance_agent a SET reads_quarantined = p_allowed
    WHERE a.tenant_id = p_tenant AND a.id = p_agent AND a.reads_quarantined <> p_allowed;
    IF NOT FOUND THEN refusal := 'nothing_to_change'; RETURN; END IF;
    PERFORM owe_entry(p_tenant, CASE WHEN p_allowed THEN 'agent.quarantine_allowed' ELSE 'agent.quarantine_refused' END,
        p_agent::text);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.set_tier(p_tenant uuid, p_chunks uuid[], p_tiers text[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
BEGIN
    UPDATE memory_effectivechunk x SET tier = m.tier
    FROM unnest(p_chunks, p_tiers) m (id, tier) WHERE x.tenant_id = p_tenant AND x.id = m.id;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.settle_entry(p_tenant uuid, p_type text, p_metadata jsonb)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
    DELETE FROM governance_owedentry o
    WHERE o.tenant_id = p_tenant AND o.type = p_type AND o.mentions <@ entry_mentions(p_metadata)
$function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.share_session(p_tenant uuid, p_running uuid, p_agents uuid[], p_may_continue boolean)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    s memory_runningsession := session_to_use(p_tenant, p_running, 'own');
    ended int;
    begun int;
BEGIN
    PERFORM require_tenant(p_tenant);
    DELETE FROM memory_sessionshare h WHERE h.tenant_id = p_tenant AND h.running_id = s.id
        AND (h.agent_id <> ALL (p_agents) OR h.may_continue <> p_may_continue);
    GET DIAGNOSTICS ended = ROW_COUNT;
    INSERT INTO memory_sessionshare (tenant_id, id, running_id, agent_id, agent, may_continue, shared_at)
    SELECT p_tenant, new_id(), s.id, a.id, a.slug, p_may_continue, clock_timestamp()
    FROM governance_agent a WHERE a.tenant_id = p_tenant AND a.id = ANY (p_agents) AND a.id <> s.owner_id
    ON CONFLICT (tenant_id, running_id, agent_id) DO NOTHING;
    GET DIAGNOSTICS begun = ROW_COUNT;
    IF ended + begun = 0 THEN RETURN false; END IF;
    PERFORM owe_entry(p_tenant, 'session.shared', s.id::text);
    RETURN true;
END $function$

-- owner suture_gate; EXECUTE to suture_gate, EXECUTE to suture_owner
CREATE OR REPLACE FUNCTION public.shared_secrets()
 RETURNS TABLE(name text, fingerprint text, origin text, noted_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
    SELECT s.name, s.fingerprint, s.origin, s.noted_at FROM governance_sharedsecret s ORDER BY s.name
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.spaced_text(p_text text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
DECLARE
    unspaced constant text := '\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF\u3005-\u3007\u3040-\u30FA\u30FC-\u30FF'
        '\u31F0-\u31FF\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\uFF66-\uFF9F\U00020000-\U0003FFFF';
BEGIN
    IF octet_length(p_text) = length(p_text) OR p_text !~ ('[' || unspaced || ']') THEN RETURN p_text; END IF;
    RETURN (
        SELECT string_agg(coalesce(part.other, ' ' || (
            SELECT coalesce(string_agg(two.this || two.next, ' ' ORDER BY two.place), part.run) FROM (
                SELECT c.this, c.place, lead(c.this) OVER (ORDER BY c.place) AS next
                FROM unnest(string_to_array(part.run, NULL)) WITH ORDINALITY c (this, place)
            ) two WHERE two.next IS NOT NULL
        ) || ' '), '' ORDER BY part.place)
        FROM (SELECT m[1] AS run, m[2] AS other, place
              FROM regexp_matches(p_text, '([' || unspaced || ']+)|([^' || unspaced || ']+)', 'g')
                  WITH ORDINALITY AS r (m, place)) part
    );
END $function$

-- owner suture_gate; EXECUTE to suture_gate, EXECUTE to suture_review
CREATE OR REPLACE FUNCTION public.span_of(body text, span_start integer, span_end integer)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$ SELECT CASE WHEN span_start IS NULL THEN body ELSE btrim(substr(body, span_start + 1, span_end - span_start), E' \t\r\n')
    END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.standard_promotion_rules()
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    SELECT '{"uses_in_session": 2, "sessions": 3, "successes": 1, "confidence": 0.8, "confidence_days": 7,
        "unused_days": 90, "low_trust": 0.3, "promoting_agents": []}'::jsonb
$function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate, EXECUTE to suture_review
CREATE OR REPLACE FUNCTION public.state_of_capsule(p_tenant uuid, p_capsule uuid, p_lock boolean)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE x capsules_effectivecapsule;
BEGIN
    PERFORM require_tenant(p_tenant);
    IF p_lock THEN PERFORM lock_capsules(p_tenant, p_capsule); END IF;
    SELECT * INTO x FROM capsules_effectivecapsule y WHERE y.tenant_id = p_tenant AND y.id = p_capsule;
    RETURN encode(sha256(convert_to(concat_ws('|', x.id, coalesce(x.note_id::text, '-'), coalesce(x.risks_id::text, '-'),
        x.importance, x.is_retracted, x.is_quarantined, x.blocked_channels, x.edits_applied), 'UTF8')), 'hex');
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate, EXECUTE to suture_review
CREATE OR REPLACE FUNCTION public.state_of_chunk(p_tenant uuid, p_chunk uuid, p_lock boolean)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE x memory_effectivechunk;
BEGIN
    PERFORM require_tenant(p_tenant);
    IF p_lock THEN
        PERFORM lock_memory(p_tenant, k.event_id, k.id) FROM memory_chunk k
        WHERE k.tenant_id = p_tenant AND k.id = p_chunk;
    END IF;
    SELECT * INTO x FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = p_chunk;
    RETURN encode(sha256(convert_to(concat_ws('|', x.id, x.content_id, coalesce(x.span_start, -1),
        coalesce(x.span_end, -1), x.importance, x.is_retracted, x.is_quarantined, x.blocked_channels,
        coalesce(x.superseded_by::text, '-'), x.edits_applied), 'UTF8')), 'hex');
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate, EXECUTE to suture_review
CREATE OR REPLACE FUNCTION public.state_of_decision(p_tenant uuid, p_decision uuid, p_lock boolean)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE x memory_effectivedecision;
BEGIN
    PERFORM require_tenant(p_tenant);
    IF p_lock THEN
        PERFORM lock_memory(p_tenant, d.event_id, NULL) FROM memory_decision d
        WHERE d.tenant_id = p_tenant AND d.id = p_decision;
    END IF;
    SELECT * INTO x FROM memory_effectivedecision y WHERE y.tenant_id = p_tenant AND y.id = p_decision;
    RETURN encode(sha256(convert_to(concat_ws('|', x.id, x.content_id, coalesce(x.details_id::text, '-'),
        x.importance, x.is_retracted, x.is_quarantined, x.blocked_channels, x.status, x.edits_applied), 'UTF8')), 'hex');
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.store_embeddings(p_tenant uuid, p_rows json)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    me acting_context := acting(p_tenant);
    ids uuid[];
    held uuid[];
    current uuid[];
    done uuid[];  -- those of `current` that were embedded with all that their neighbours lend
BEGIN
    ids := ARRAY(SELECT DISTINCT x.chunk_id FROM json_to_recordset(p_rows) AS x (chunk_id uuid) ORDER BY 1);
    held := ARRAY(SELECT x.id FROM memory_effectivechunk x
        WHERE x.tenant_id = p_tenant AND x.id = ANY (surroundings_of(p_tenant, ids)) FOR SHARE SKIP LOCKED);
    SELECT array_agg(DISTINCT x.chunk_id), array_agg(DISTINCT x.chunk_id) FILTER (
        WHERE x.context IS NOT DISTINCT FROM s.context) INTO current, done
    FROM json_to_recordset(p_rows) AS x (chunk_id uuid, content_id uuid, span_start int, span_end int, context uuid)
    CROSS JOIN LATERAL embedding_source(p_tenant, x.chunk_id) s
    WHERE surroundings_of(p_tenant, ARRAY[x.chunk_id]) <@ held
      AND (x.content_id, x.span_start, x.span_end) IS NOT DISTINCT FROM (s.content_id, s.span_start, s.span_end)
      AND (x.context IS NULL OR x.context = s.context)
      AND (me.kind IN ('job', 'system') OR (
          EXISTS (SELECT FROM memory_chunk k
                  WHERE k.tenant_id = p_tenant AND k.id = x.chunk_id AND k.recorded_by = me.id)
          AND NOT EXISTS (SELECT FROM memory_embedding e WHERE e.tenant_id = p_tenant AND e.chunk_id = x.chunk_id)));
    current := coalesce(current, '{}');
    done := coalesce(done, '{}');
    WITH stored AS (
        INSERT INTO memory_embedding (tenant_id, id, chunk_id, space, model, content_id, span_start, span_end, context,
            dense, bits, sparse)
        SELECT p_tenant, new_id(), x.chunk_id, x.space, x.model, x.content_id, x.span_start, x.span_end, x.context,
            x.dense::halfvec, x.bits::bit varying, x.sparse::sparsevec
        FROM json_to_recordset(p_rows) AS x (chunk_id uuid, space text, model text, content_id uuid, span_start int,
            span_end int, context uuid, dense text, bits text, sparse text)
        WHERE x.chunk_id = ANY (current) AND num_nonnulls(x.dense, x.bits, x.sparse) = 1
        ORDER BY x.chunk_id, x.space, x.model
        ON CONFLICT (tenant_id, chunk_id, space, model) DO UPDATE SET content_id = excluded.content_id,
            span_start = excluded.span_start, span_end = excluded.span_end, context = excluded.context,
            dense = excluded.dense, bits = excluded.bits, sparse = excluded.sparse
        RETURNING space, model, xmax = 0 AS is_new
    ), counted AS (SELECT s.model, count(*) AS n FROM stored s WHERE s.space = 'E1' AND s.is_new GROUP BY 1)
    UPDATE memory_embeddingmodel m SET row_count = m.row_count + counted.n FROM counted
    WHERE m.tenant_id = p_tenant AND m.model = counted.model;
    DELETE FROM memory_embeddingitem i WHERE i.tenant_id = p_tenant AND i.id = ANY (ARRAY(
        SELECT j.id FROM memory_embeddingitem j WHERE j.tenant_id = p_tenant AND j.id = ANY (done)
        FOR UPDATE SKIP LOCKED));
    -- at once again, with what the chunk says now
    UPDATE memory_embeddingitem i SET due_at = statement_timestamp(), tries = 0
    WHERE i.tenant_id = p_tenant AND i.state = 'waiting' AND i.id = ANY (ARRAY(
        SELECT j.id FROM memory_embeddingitem j
        WHERE j.tenant_id = p_tenant AND j.id = ANY (ids) AND j.id <> ALL (done) FOR UPDATE SKIP LOCKED));
    RETURN (SELECT count(DISTINCT x.chunk_id) FROM json_to_recordset(p_rows)
        AS x (chunk_id uuid, dense text, bits text, sparse text)
        WHERE x.chunk_id = ANY (current) AND num_nonnulls(x.dense, x.bits, x.sparse) = 1);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.store_receipt(p_tenant uuid, p_id uuid, p_at timestamp with time zone, p_kinds text[], p_counts integer[], p_row_ids uuid[], p_hashes bytea, p_public_key bytea, p_signature bytea)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_tenant(p_tenant);
    INSERT INTO governance_receipt (tenant_id, id, at, kinds, counts, row_ids, hashes, public_key, signature)
    VALUES (p_tenant, p_id, p_at, p_kinds, p_counts, p_row_ids, p_hashes, p_public_key, p_signature);
    INSERT INTO governance_unsealedreceipt (tenant_id, id) VALUES (p_tenant, p_id);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.successor_of(p_tenant uuid, p_chunk uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    above uuid[] := ARRAY[p_chunk];
    found uuid;
BEGIN
    LOOP
        above := ARRAY(
            SELECT s.successor_id FROM unnest(above) i (id) CROSS JOIN LATERAL (
                SELECT z.successor_id, z.successor_seq FROM memory_supersession z
                WHERE z.tenant_id = p_tenant AND z.superseded_id = i.id OFFSET 0) s
            ORDER BY s.successor_seq DESC);
        IF above = '{}' THEN RETURN NULL; END IF;
        SELECT x.id INTO found FROM unnest(above) WITH ORDINALITY i (id, place)
        CROSS JOIN LATERAL (
            SELECT y.id FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = i.id
              AND NOT y.is_retracted AND NOT y.is_quarantined LIMIT 1) x
        ORDER BY i.place LIMIT 1;
        IF found IS NOT NULL THEN RETURN found; END IF;
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.superseded_below(p_tenant uuid, p_chunks uuid[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    below uuid[] := p_chunks;
    found uuid[] := '{}';
BEGIN
    LOOP
        below := ARRAY(
            SELECT DISTINCT s.superseded_id FROM unnest(below) i (id) CROSS JOIN LATERAL (
                SELECT z.superseded_id FROM memory_supersession z
                WHERE z.tenant_id = p_tenant AND z.successor_id = i.id OFFSET 0) s
            WHERE NOT s.superseded_id = ANY (found));
        EXIT WHEN below = '{}';
        found := found || below;
        below := ARRAY(
            SELECT i.id FROM unnest(below) i (id) CROSS JOIN LATERAL (
                SELECT FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = i.id
                  AND (y.is_retracted OR y.is_quarantined) LIMIT 1) x);
    END LOOP;
    RETURN found;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.surroundings_of(p_tenant uuid, p_chunks uuid[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
    -- A plan from when the tables were small may read all of the tenant once for each chunk: many are worth one of now.
    IF cardinality(p_chunks) > 20 THEN PERFORM set_config('plan_cache_mode', 'force_custom_plan', true); END IF;
    RETURN ARRAY(
        SELECT s.id FROM (
            SELECT k.id, k.session_id, k.ts FROM unnest(p_chunks) i (id) CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k
            UNION
            SELECT n.chunk_id, k.session_id, n.ts FROM unnest(p_chunks) i (id)
            CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k CROSS JOIN LATERAL neighbours_of(k, '{}') n
        ) s ORDER BY s.session_id, s.ts, s.id
    );
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.take_session(p_tenant uuid, p_running uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    me acting_context := acting(p_tenant);
    s memory_runningsession := session_to_use(p_tenant, p_running, 'read');
BEGIN
    UPDATE memory_sessionshare h SET taken_at = clock_timestamp()
    WHERE h.tenant_id = p_tenant AND h.running_id = s.id AND h.agent_id = me.id AND h.taken_at IS NULL;
    IF NOT FOUND THEN RETURN false; END IF;
    PERFORM owe_entry(p_tenant, 'session.taken', s.id::text);
    RETURN true;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.tenants_to_complete(p_token text)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
BEGIN
    IF token_bearer(p_token) IS NOT NULL THEN
        RAISE EXCEPTION 'only the operator can do this for every tenant' USING ERRCODE = 'SU403';
    END IF;
    RETURN QUERY
    SELECT t.id FROM governance_tenant t
    CROSS JOIN LATERAL (SELECT FROM memory_pendingcontext p WHERE p.tenant_id = t.id LIMIT 1) w;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.tenants_to_embed(p_token text, p_model text)
 RETURNS TABLE(tenant_id uuid, waiting bigint, isolated bigint)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    IF token_bearer(p_token) IS NOT NULL THEN
        RAISE EXCEPTION 'only the operator can embed' USING ERRCODE = 'SU403';
    END IF;
    RETURN QUERY
    WITH queue AS (
        SELECT i.tenant_id AS id, count(*) FILTER (WHERE i.state = 'waiting') AS waiting,
            count(*) FILTER (WHERE i.state = 'isolated') AS isolated
        FROM memory_embeddingitem i WHERE i.state <> 'off' GROUP BY 1)
    SELECT t.id, coalesce(q.waiting, 0), coalesce(q.isolated, 0)
    FROM governance_tenant t LEFT JOIN queue q ON q.id = t.id
    WHERE q.id IS NOT NULL
       OR EXISTS (SELECT FROM memory_pendingcontext p WHERE p.tenant_id = t.id)
       OR p_model IS NOT NULL AND NOT EXISTS (
           SELECT FROM memory_embeddingmodel m
           WHERE m.tenant_id = t.id AND m.model = p_model AND m.is_complete);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.tenants_to_expire(p_token text)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
BEGIN
    IF token_bearer(p_token) IS NOT NULL THEN
        RAISE EXCEPTION 'only the operator can do this for every tenant' USING ERRCODE = 'SU403';
    END IF;
    RETURN QUERY
    SELECT t.id FROM governance_tenant t
    CROSS JOIN LATERAL (
        SELECT FROM memory_effectivechunk x WHERE x.tenant_id = t.id AND x.expires_at <= statement_timestamp()
          AND x.expires_at IS NOT NULL AND NOT x.is_expired LIMIT 1) w;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.tenants_to_promote(p_token text, p_now timestamp with time zone)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
BEGIN
    IF token_bearer(p_token) IS NOT NULL THEN
        RAISE EXCEPTION 'only the operator can do this for every tenant' USING ERRCODE = 'SU403';
    END IF;
    RETURN QUERY
    SELECT t.id FROM governance_tenant t
    WHERE t.promotion_cursor IS NOT NULL OR EXISTS (
        SELECT FROM memory_promotiondue d WHERE d.tenant_id = t.id AND d.due_at <= p_now);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.tenants_to_seal(p_token text, p_tables text[], p_swept timestamp with time zone, p_sweeps integer)
 RETURNS TABLE(tenant_id uuid, is_due boolean, state bytea)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
DECLARE
    due uuid[];
    found uuid[];
    unsealed uuid[];
BEGIN
    IF token_bearer(p_token) IS NOT NULL THEN
        RAISE EXCEPTION 'only the operator can seal' USING ERRCODE = 'SU403';
    END IF;
    SELECT array_agg(t.tenant_id) INTO due FROM governance_merkletree t WHERE t.alarm IS NOT NULL;
    SELECT due || array_agg(DISTINCT u.tenant_id) INTO due FROM governance_unsealedreceipt u;
    SELECT due || array_agg(s.tenant_id) INTO due FROM (
        SELECT t.tenant_id FROM governance_merkletree t
        WHERE t.root IS NOT NULL AND (t.swept_at IS NULL OR t.swept_at < p_swept)
        ORDER BY t.swept_at NULLS FIRST LIMIT p_sweeps) s;
    SELECT array_agg(t.id) INTO unsealed FROM governance_tenant t
    WHERE NOT EXISTS (SELECT FROM governance_merkletree m WHERE m.tenant_id = t.id AND m.root IS NOT NULL)
      AND t.id <> ALL (coalesce(due, '{}'));
    FOR i IN 1 .. cardinality(p_tables) LOOP
        EXIT WHEN unsealed IS NULL;
        EXECUTE format(
            'SELECT array_agg(c.tenant) FROM unnest($1) c (tenant)'
            ' CROSS JOIN LATERAL (SELECT FROM %I x WHERE x.tenant_id = c.tenant LIMIT 1) n', p_tables[i])
            INTO found USING unsealed;
        due := due || found;
    END LOOP;
    RETURN QUERY SELECT d.tenant_id, d.tenant_id = ANY (coalesce(due, '{}')), d.state FROM ledger_digests() d;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.term_dim(p_term text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT ('x' || left(md5(p_term), 7))::bit(28)::int + 1
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.term_frequency(p_tsv tsvector, p_term tsquery)
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT 1.9::float8 - 1.71::float8 / (ts_rank(p_tsv, p_term) / 0.0607927::float8
        / (0.25::float8 + 0.0375::float8 * length(p_tsv)) + 0.9::float8)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.term_matches(p_tenant uuid, q search_question, w term_weights, p_queries tsquery[], f search_filter)
 RETURNS SETOF word_match
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE
    v_tenant uuid := p_tenant;
    terms tsquery;
BEGIN
    FOREACH terms IN ARRAY coalesce(p_queries, '{}') LOOP
        RETURN QUERY
        SELECT x.id, x.importance, x.ts, word_score(x.lex, x.tsv, w), NULL::bigint FROM memory_effectivechunk x
        WHERE has_terms(x, v_tenant, terms) AND x.tsv @@ q.matching AND is_found(x, f);
    END LOOP;
END $function$

-- owner suture_owner; EXECUTE to suture_gate, EXECUTE to suture_owner
CREATE OR REPLACE FUNCTION public.term_prefix(p_tenant uuid)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT right(p_tenant::text, 8)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.term_query(p_tenant uuid, VARIADIC p_terms text[])
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
    SELECT string_agg(
        format($q$'%s'$q$, replace(replace(index_term(term_prefix(p_tenant), t), '\', '\\'), '''', '''''')), '|')::tsquery
    FROM unnest(p_terms) t
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.term_weights_of(p_tenant uuid, q search_question, p_narrow text, f search_filter)
 RETURNS term_weights
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE
    v_tenant uuid := p_tenant;
    w term_weights;
BEGIN
    w.terms := q.terms;
    w.matching := q.matching;
    w.queries := ARRAY(SELECT any_term(ARRAY[t]) FROM unnest(q.terms) WITH ORDINALITY u (t, place) ORDER BY place);
    IF p_narrow IS NOT NULL THEN
        WITH chunk AS MATERIALIZED (SELECT x.tsv FROM narrow_chunks(v_tenant, p_narrow, f) x)
        SELECT (SELECT count(*) FROM chunk), ARRAY(
            SELECT (SELECT count(*) FROM chunk c WHERE c.tsv @@ t.query)
            FROM unnest(w.queries) WITH ORDINALITY t (query, place) ORDER BY t.place)
        INTO w.total, w.dfs;
    ELSE
        w.dfs := ARRAY(
            SELECT coalesce((SELECT s.df FROM memory_term s WHERE s.tenant_id = v_tenant AND s.term = t.term LIMIT 1),
                probed_df(v_tenant, t.term))
            FROM unnest(q.terms) WITH ORDINALITY t (term, place) ORDER BY t.place);
        w.total := coalesce((SELECT c.chunks FROM memory_termcount c WHERE c.tenant_id = v_tenant AND c.counted_at IS NOT NULL LIMIT 1),
            64 * sampled_chunks(v_tenant, term_query(v_tenant, ' one in 64')));
    END IF;
    w.total := greatest(w.total, 1, (SELECT max(d) FROM unnest(w.dfs) d));
    w.idfs := ARRAY(
        SELECT greatest(ln(1 + (w.total - d.df + 0.5) / (d.df + 0.5)), 0.001)
        FROM unnest(w.dfs) WITH ORDINALITY d (df, place) ORDER BY d.place);
    IF q.is_open THEN
        w.vector := (
            SELECT format('{%s}/268435456', string_agg(v.dim || ':' || round(v.idf::numeric, 4), ',' ORDER BY v.dim))
            FROM (SELECT term_dim(t.term) AS dim, max(t.idf) AS idf FROM unnest(w.terms, w.idfs) t (term, idf)
                  GROUP BY 1) v)::sparsevec;
    END IF;
    RETURN w;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.text_vector(p_language regconfig, p_text text)
 RETURNS tsvector
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    is_simple constant boolean := p_language = 'simple'::regconfig;
    parsable text := parsable_text(CASE WHEN octet_length(p_text) = length(p_text) THEN p_text ELSE spaced_text(p_text) END);
    taken int := length(parsable);
BEGIN
    IF NOT is_simple AND octet_length(parsable) < 100000 THEN  -- this always fits
        RETURN to_tsvector(p_language, parsable);
    END IF;
    LOOP
        BEGIN
            RETURN CASE WHEN is_simple THEN with_trigrams(to_tsvector(p_language, left(parsable, taken)))
                ELSE to_tsvector(p_language, left(parsable, taken)) END;
        EXCEPTION WHEN program_limit_exceeded THEN
            taken := taken / 2;
        END;
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.tier_of(p_tenant uuid, p_chunk uuid)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    RETURN coalesce((
        SELECT p.to_tier FROM memory_promotion p WHERE p.tenant_id = p_tenant AND p.chunk_id = p_chunk
        ORDER BY p.number DESC LIMIT 1), first_tier());
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.time_query(p_tenant uuid, p_from bigint, p_until bigint)
 RETURNS tsquery
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    span bigint := p_from;
    level int := 0;
    terms text[] := '{}';
BEGIN
    WHILE span <= p_until >> 3 * level LOOP
        IF level < 5 AND (span % 8 = 0 OR (p_until - p_from) >> 3 * level >= 64) THEN
            span := span >> 3; level := level + 1;
        ELSE
            terms := terms || format(' time %s %s', level, span);
            span := span + 1;
        END IF;
    END LOOP;
    RETURN term_query(p_tenant, VARIADIC terms);
END $function$

-- owner suture_owner; EXECUTE to suture_gate, EXECUTE to suture_owner
CREATE OR REPLACE FUNCTION public.time_span(p_ts timestamp with time zone, p_level integer)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT floor(extract(epoch FROM p_ts AT TIME ZONE 'UTC') / 4096)::bigint >> 3 * p_level
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.token_bearer(p_token text)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE payload text := substr(p_token, 65);
BEGIN
    IF p_token IS NULL OR payload !~ '^[|](person|operator)[|]'
        OR left(p_token, 64) <> context_mac(payload, pg_backend_pid(), transaction_timestamp())
    THEN
        RAISE EXCEPTION 'the token was not minted for this transaction' USING ERRCODE = 'SU403';
    END IF;
    RETURN nullif(split_part(payload, '|', 3), '')::uuid;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.trust_of(p_tenant uuid, p_chunk uuid)
 RETURNS numeric
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
    RETURN (
        SELECT min(coalesce(a.confidence, 0.5)) FROM came_from(p_tenant, p_chunk) o (id)
        LEFT JOIN LATERAL (
            SELECT y.confidence FROM memory_chunkaccess y WHERE y.tenant_id = p_tenant AND y.id = o.id LIMIT 1) a ON true);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.trusted_since(p_tenant uuid, p_chunk uuid, p_least numeric)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
    RETURN (
        SELECT CASE WHEN bool_and(c.since IS NOT NULL) THEN max(c.since) END
        FROM came_from(p_tenant, p_chunk) o (id) CROSS JOIN LATERAL confident_since(p_tenant, o.id, p_least) c (since));
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.turn_off_second_factor(p_token text, OUT was_done boolean, OUT tenants uuid[])
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE person uuid := token_bearer(p_token);
BEGIN
    PERFORM FROM governance_user u WHERE u.id = person FOR NO KEY UPDATE;
    was_done := delete_second_factor(person);
    tenants := '{}';
    IF was_done THEN
        tenants := owe_everywhere(opened_by(person), 'person.second_factor_off', person);
    END IF;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.turns_beside(k memory_chunk)
 RETURNS TABLE(place integer, id uuid, ts timestamp with time zone)
 LANGUAGE sql
 STABLE
AS $function$
    (SELECT -row_number() OVER (ORDER BY c.ts DESC, c.id DESC)::int, c.id, c.ts FROM memory_effectivechunk c
     WHERE k.source <> 'file' AND c.tenant_id = k.tenant_id AND c.session_id = k.session_id AND (c.ts, c.id) < (k.ts, k.id)
     ORDER BY c.ts DESC, c.id DESC LIMIT 2)
    UNION ALL
    (SELECT row_number() OVER (ORDER BY c.ts, c.id)::int, c.id, c.ts FROM memory_effectivechunk c
     WHERE k.source <> 'file' AND c.tenant_id = k.tenant_id AND c.session_id = k.session_id AND (c.ts, c.id) > (k.ts, k.id)
     ORDER BY c.ts, c.id LIMIT 2)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.unknown_terms(p_tenant uuid, p_terms text[])
 RETURNS TABLE(word text, known text[])
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    -- nothing is known before the first count (count_terms)
    IF (SELECT t.df FROM memory_term t WHERE t.tenant_id = v_tenant LIMIT 1) IS NULL THEN RETURN; END IF;
    RETURN QUERY
    SELECT u.term, ARRAY(
        SELECT t.term FROM memory_term t
        WHERE t.tenant_id = v_tenant AND left(t.term, 1) = left(u.term, 1)
          AND abs(length(t.term) - length(u.term)) <= 4 AND similarity(t.term, u.term) >= 0.25
        ORDER BY similarity(t.term, u.term) DESC, t.term LIMIT 20)
    FROM (SELECT x FROM unnest(p_terms) x WHERE length(x) BETWEEN 4 AND 32 AND x !~ '[0-9]'
          -- one by one: as a join, it read all words of the tenant for every search
          AND (SELECT t.df FROM memory_term t WHERE t.tenant_id = v_tenant AND t.term = x LIMIT 1) IS NULL
          LIMIT 5) u (term)
    WHERE probed_df(v_tenant, u.term) = 0;
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.unknown_words(p_tenant uuid, p_query text)
 RETURNS TABLE(word text, known text[])
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
    PERFORM acting(p_tenant);
    RETURN QUERY SELECT * FROM unknown_terms(p_tenant, (parse_question(search_language(p_tenant), p_query)).terms);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.unsealed_receipts(p_tenant uuid, p_rows integer)
 RETURNS TABLE(id uuid, at timestamp with time zone, kinds text[], counts integer[], row_ids uuid[], hashes bytea, public_key bytea, signature bytea)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    due uuid;
    rows_left bigint := p_rows;
    r governance_receipt;
BEGIN
    PERFORM require_job(p_tenant);
    FOR due IN SELECT u.id FROM governance_unsealedreceipt u WHERE u.tenant_id = p_tenant ORDER BY u.id LOOP
        SELECT * INTO r FROM governance_receipt x WHERE x.tenant_id = p_tenant AND x.id = due;
        rows_left := rows_left - coalesce(cardinality(r.row_ids), 0);
        id := due; at := r.at; kinds := r.kinds; counts := r.counts; row_ids := r.row_ids; hashes := r.hashes;
        public_key := r.public_key; signature := r.signature;
        RETURN NEXT;
        EXIT WHEN rows_left <= 0;
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.unshared_span(p_tenant uuid, k memory_chunk, p_also applied_edit DEFAULT NULL::applied_edit, OUT span_start integer, OUT span_end integer)
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
    n record;
    length_there int;
BEGIN
    SELECT length(c.body) INTO length_there FROM content_of(p_tenant, k.content_id) c;
    IF NOT FOUND THEN RETURN; END IF;  -- erased
    FOR n IN
        SELECT c.id, c AS chunk, max(q.text_end - p.text_start) FILTER (WHERE q.chunk_index < p.chunk_index) AS taken_before,
            min(q.text_start - p.text_start) FILTER (WHERE q.chunk_index > p.chunk_index) AS left_after,
            max(p.text_end - p.text_start) AS length_here
        FROM memory_fileplacement p
        CROSS JOIN LATERAL (
            SELECT y.* FROM memory_fileplacement y
            WHERE y.tenant_id = p_tenant AND y.version_id = p.version_id
              AND y.chunk_index IN (p.chunk_index - 1, p.chunk_index + 1) OFFSET 0) q
        CROSS JOIN LATERAL chunk_of(p_tenant, q.chunk_id) c
        WHERE p.tenant_id = p_tenant AND p.chunk_id = k.id AND q.chunk_id <> k.id
          AND q.text_start < p.text_end AND p.text_start < q.text_end
        GROUP BY c.id, c
    LOOP
        CONTINUE WHEN NOT (
            SELECT g.is_retracted OR g.is_quarantined OR g.blocked_channels <> '{}' OR g.content_id IS NOT NULL
            FROM fold_edits(p_tenant, n.id, '{}', (n.chunk).importance, NULL, p_also) g)
            AND has_words(p_tenant, (n.chunk).content_id, (n.chunk).content_id);
        IF length_there <> n.length_here THEN span_start := 0; span_end := 0; RETURN; END IF;
        span_start := greatest(coalesce(span_start, 0), coalesce(n.taken_before, 0));
        span_end := least(coalesce(span_end, n.length_here), coalesce(n.left_after, n.length_here));
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.void_derived(p_tenant uuid, p_chunks uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE step text;
BEGIN
    IF p_chunks IS NULL OR p_chunks = '{}' THEN RETURN; END IF;
    FOR step IN SELECT f FROM functions_beginning('void_derived_of_') f LOOP
        EXECUTE format('SELECT %I($1, $2)', step) USING p_tenant, p_chunks;
    END LOOP;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.void_derived_of_duplicates(p_tenant uuid, p_chunks uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
    DELETE FROM memory_duplicate d WHERE d.tenant_id = p_tenant AND d.chunk_id = ANY (p_chunks);
    DELETE FROM memory_duplicate d WHERE d.tenant_id = p_tenant AND d.other_id = ANY (p_chunks);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.void_derived_of_memory(p_tenant uuid, p_chunks uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
    DELETE FROM memory_embedding e WHERE e.tenant_id = p_tenant AND e.chunk_id = ANY (p_chunks);
    DELETE FROM memory_embeddingitem i WHERE i.tenant_id = p_tenant AND i.id = ANY (p_chunks) AND i.state <> 'off';
    PERFORM requeue_embeddings(p_tenant, p_chunks);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.warn_capsules(p_tenant uuid, p_within interval, p_limit integer)
 RETURNS TABLE(capsule_id uuid, expires_at timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM require_job(p_tenant);
    RETURN QUERY
    UPDATE capsules_effectivecapsule x SET warned_at = statement_timestamp()
    WHERE x.tenant_id = p_tenant AND x.id = ANY (ARRAY(
        SELECT y.id FROM capsules_effectivecapsule y
        WHERE y.tenant_id = p_tenant AND y.status = 'active' AND y.warned_at IS NULL AND NOT y.is_retracted
          AND y.expires_at > statement_timestamp() AND y.expires_at <= statement_timestamp() + p_within
        ORDER BY y.expires_at LIMIT p_limit FOR UPDATE SKIP LOCKED))
    RETURNING x.id, x.expires_at;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.weakens_policy(p_tenant uuid, p_preset text, p_overrides jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    RETURN EXISTS (
        SELECT FROM governance_tenant t WHERE t.id = p_tenant AND t.policy = 'strict' AND p_preset <> 'strict'
    ) OR EXISTS (
        SELECT FROM (
            SELECT DISTINCT p.op, p.proposer_kind, CASE p.op WHEN 'decide' THEN 0 ELSE 2 END AS otherwise
            FROM preset_rules('strict') p) o
            CROSS JOIN unnest('{none,low,high,secret}'::text[]) s (sensitivity)
        -- without any rule an edit needs two approvals (record_edit), and a decision none (hold_decisions)
        WHERE coalesce((
            SELECT n.approvals FROM policy_rules_of(p_preset, p_overrides) n
            WHERE n.op = o.op AND n.proposer_kind = o.proposer_kind
              AND (n.sensitivity = s.sensitivity OR n.sensitivity IS NULL)
            ORDER BY n.sensitivity NULLS LAST LIMIT 1), o.otherwise)
        < coalesce((
            SELECT r.approvals FROM governance_policyrule r
            WHERE r.tenant_id = p_tenant AND r.op = o.op AND r.proposer_kind = o.proposer_kind
              AND (r.sensitivity = s.sensitivity OR r.sensitivity IS NULL)
            ORDER BY r.sensitivity NULLS LAST LIMIT 1), o.otherwise));
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.weakens_promotion(p_tenant uuid, p_promotion jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE present jsonb := promotion_rules(p_tenant);
BEGIN
    RETURN EXISTS (
        SELECT FROM jsonb_each(p_promotion) r
        WHERE CASE WHEN r.key = 'promoting_agents' THEN NOT r.value <@ (present -> r.key)
            WHEN r.key <> 'unused_days' THEN r.value::text::numeric < (present ->> r.key)::numeric END);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.why_capsule_hidden(x capsules_effectivecapsule, p_listening text[], p_sensitivities text[], p_include_quarantined boolean)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT why_hidden(x.is_retracted, false, x.blocked_channels, x.is_quarantined, '', x.sensitivity, p_listening,
        p_sensitivities, p_include_quarantined)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.why_chunk_hidden(x memory_effectivechunk, p_listening text[], p_sensitivities text[], p_include_quarantined boolean)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
    SELECT CASE WHEN x.expires_at <= statement_timestamp() AND NOT x.is_retracted THEN 'expired'
        ELSE why_hidden(x.is_retracted, x.superseded_by IS NOT NULL, x.blocked_channels, x.is_quarantined, x.channel,
        x.sensitivity, p_listening, p_sensitivities, p_include_quarantined) END
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.why_decision_hidden(x memory_effectivedecision, p_listening text[], p_sensitivities text[], p_include_quarantined boolean)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT why_hidden(x.is_retracted, false, x.blocked_channels, x.is_quarantined, x.channel,
        x.sensitivity, p_listening, p_sensitivities, p_include_quarantined)
$function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate, EXECUTE to suture_review
CREATE OR REPLACE FUNCTION public.why_hidden(p_is_retracted boolean, p_is_superseded boolean, p_blocked_channels text[], p_is_quarantined boolean, p_channel text, p_sensitivity text, p_listening text[], p_sensitivities text[], p_include_quarantined boolean)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT CASE WHEN p_is_retracted THEN 'retracted'
                WHEN p_is_superseded THEN 'superseded'
                WHEN (p_blocked_channels && p_listening) IS NOT FALSE THEN 'blocked'
                WHEN p_is_quarantined AND p_include_quarantined IS NOT TRUE THEN 'quarantined'
                WHEN (p_channel = ANY (p_sensitivities) OR p_channel = '') IS NOT TRUE THEN 'channel'
                WHEN (p_sensitivity = ANY (p_sensitivities)) IS NOT TRUE THEN 'sensitivity' END
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.why_task_hidden(x memory_effectivetask, p_listening text[], p_sensitivities text[], p_include_quarantined boolean)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT why_hidden(x.is_retracted, false, x.blocked_channels, x.is_quarantined, x.channel,
        x.sensitivity, p_listening, p_sensitivities, p_include_quarantined)
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.window_start(p_tenant uuid, q search_question, f search_filter, p_terms tsquery, p_filters tsquery, p_total bigint, OUT since timestamp with time zone, OUT estimate bigint, OUT terms tsquery, OUT is_crowded boolean)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE
    v_tenant uuid := p_tenant;
    has_beginnings boolean := position(''':*' IN q.matching::text) > 0;
    -- a beginning of words is looked for in each chunk of the window
    wanted constant int := CASE WHEN has_beginnings THEN 2048 ELSE 4096 END;
    one_in int := CASE WHEN p_total < 100000 THEN 64 ELSE 512 END;
    -- The index is slow to find a beginning that many words share (440 ms for one in a quarter of 1,000,000 chunks): look
    -- through the sample itself instead, and through all new chunks if a tenth has such a word
    wide tsquery := CASE WHEN numnode(p_filters) > 0 THEN p_filters ELSE term_query(p_tenant, '') END;
    nearer tsquery := CASE WHEN has_beginnings THEN wide ELSE p_terms END && term_query(p_tenant, ' one in ' || one_in);
    sample timestamptz[];
    looked_at bigint;
BEGIN
    SELECT array_agg(x.ts ORDER BY x.ts DESC) FILTER (WHERE x.tsv @@ q.matching), count(*) INTO sample, looked_at
    FROM memory_effectivechunk x
    WHERE has_terms(x, v_tenant, nearer) AND (has_beginnings OR x.tsv @@ q.matching) AND is_found(x, f);
    IF cardinality(sample) >= wanted / one_in THEN
        since := sample[wanted / one_in];
        estimate := cardinality(sample) * one_in;
        is_crowded := (SELECT count(*) FROM unnest(sample) s WHERE time_span(s, 0) >= time_span(since, 0))
            > 3 * wanted / one_in;
        terms := CASE WHEN has_beginnings AND cardinality(sample) * 10 >= looked_at THEN wide ELSE p_terms END;
    END IF;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.with_trigrams(p_words tsvector)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT p_words || array_to_tsvector(ARRAY(
        SELECT DISTINCT '~' || substr(w.lexeme, place, 3)
        FROM unnest(p_words) w CROSS JOIN LATERAL generate_series(1, length(w.lexeme) - 2) place
        WHERE length(w.lexeme) BETWEEN 4 AND 40 AND w.lexeme ~ '^[[:alpha:]]+$'))
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.withdraw_context(p_tenant uuid, p_chunks uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE beside uuid[] := ARRAY(SELECT unnest(borrowers_of(p_tenant, p_chunks)) EXCEPT SELECT unnest(p_chunks) ORDER BY 1);
BEGIN
    PERFORM refresh_context(p_tenant, p_chunks || beside);
    -- each of them, also where no stem changed: an embedding has words that are none
    PERFORM change_context(p_tenant, beside, true);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.withdraw_edit(p_tenant uuid, p_edit uuid, p_reason text)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    RETURN end_edit(p_tenant, p_edit, me.kind, me.id, p_reason);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.withdraw_invitation(p_tenant uuid, p_invitation uuid, OUT refusal text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    PERFORM acting_manager(p_tenant);
    UPDATE governance_invitation i SET status = 'withdrawn', answered_at = clock_timestamp()
    WHERE i.tenant_id = p_tenant AND i.id = p_invitation AND i.status = 'pending';
    IF NOT FOUND THEN refusal := 'invitation_not_open'; RETURN; END IF;
    PERFORM owe_entry(p_tenant, 'invitation.withdrawn', p_invitation::text);
END $function$

-- owner suture_gate; EXECUTE to suture_app, EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.withdraw_role(p_tenant uuid, p_user uuid, p_role text, OUT refusal text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE
    me acting_context := acting_manager(p_tenant);
    holders uuid[];
BEGIN
    IF p_user = me.id THEN refusal := 'own_role'; RETURN; END IF;
    -- Two admins who withdraw each other wait here: the second finds itself no more, and only one left.
    SELECT array_agg(x.user_id) INTO holders FROM (
        SELECT m.user_id FROM governance_membership m
        WHERE m.tenant_id = p_tenant AND m.role = p_role AND m.is_active ORDER BY m.id FOR UPDATE) x;
    IF (p_user = ANY (holders)) IS NOT TRUE THEN refusal := 'not_a_member'; RETURN; END IF;
    IF p_role = 'admin' AND NOT EXISTS (
        SELECT FROM governance_user u WHERE u.id = ANY (holders) AND u.id <> p_user AND u.is_active)
    THEN
        refusal := 'last_admin'; RETURN;
    END IF;
    UPDATE governance_membership m SET is_active = false
    WHERE m.tenant_id = p_tenant AND m.user_id = p_user AND m.role = p_role;
    PERFORM owe_entry(p_tenant, 'role.withdrawn', p_user::text, p_role);
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.word_matches(p_tenant uuid, q search_question, w term_weights, lane search_lane, f search_filter, p_most integer)
 RETURNS SETOF word_match
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    IF num_nonnulls(lane.narrow, lane.terms, lane.since) = 0 THEN RETURN; END IF;
    RETURN QUERY
    WITH found AS MATERIALIZED (
        SELECT x.id, x.importance, x.ts, word_score(x.lex, x.tsv, w) AS score
        FROM narrow_chunks(v_tenant, lane.narrow, f) x WHERE lane.narrow IS NOT NULL AND x.tsv @@ q.matching
        UNION ALL
        SELECT t.chunk_id, t.importance, t.ts, t.score FROM term_matches(v_tenant, q, w, lane.terms, f) t
        UNION ALL
        SELECT n.chunk_id, n.importance, n.ts, n.score FROM newest_matches(v_tenant, q, w, lane, f) n
        WHERE lane.since IS NOT NULL
    )
    SELECT m.id, m.importance, m.ts, m.score, (SELECT count(*) FROM found) FROM found m
    ORDER BY m.score DESC, m.importance DESC, m.ts DESC, m.id DESC LIMIT p_most;
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.word_query(p_tenant uuid, q tsquery)
 RETURNS tsquery
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE needed text := querytree(q);
BEGIN
    IF needed IN ('T', '') THEN RETURN term_query(p_tenant, ''); END IF;  -- the query only excludes words
    RETURN (
        SELECT string_agg(CASE
            WHEN part.word IS NULL THEN regexp_replace(part.between, '<(-|[0-9]+)>', '&', 'g')
            ELSE term_query(p_tenant, replace(replace(part.word, '''''', ''''), '\\', '\'))::text
            END, '' ORDER BY part.place)
        FROM (SELECT m[1] AS word, m[2] AS between, place
              FROM regexp_matches(needed, '''((?:[^'']|'''')*)''|([^'']+)', 'g') WITH ORDINALITY AS r (m, place)) part
    )::tsquery || term_query(p_tenant, ' many words');
END $function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.word_score(p_lex sparsevec, p_tsv tsvector, w term_weights)
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT CASE WHEN (w).vector IS NOT NULL AND p_lex IS NOT NULL THEN -(p_lex <#> (w).vector)
        WHEN cardinality((w).terms) = 0 THEN ts_rank(p_tsv, (w).matching)
        ELSE own_word_score(p_tsv, w) END
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.words_hash(p_first bytea, p_second bytea, p_start integer, p_end integer)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
    SELECT encode(sha256(coalesce(p_first, '') || coalesce(p_second, '')
        || convert_to(concat_ws('-', p_start, p_end), 'UTF8')), 'hex')
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.words_of(p_text text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    SELECT array_remove(string_to_array(regexp_replace(
        plain_form(p_text),
        '[ \t-\r\x01\x02!-/:-@\[-`{-~\u00A1-\u00A9\u00AB-\u00B1\u00B4\u00B6-\u00B8\u00BB\u00BF\u00D7\u00F7'
        '\u2010-\u205E\u20A0-\u20CF\u2100-\u214F\u2190-\u2BFF\u3001-\u3003\u3008-\u3020\u3030\uFFFC\uFFFD'
        '\U0001F000-\U0001FAFF]+', ' ', 'g'), ' '), '')
$function$

-- owner suture_gate; EXECUTE to suture_gate
CREATE OR REPLACE FUNCTION public.write_policy_rules(p_tenant uuid, p_preset text, p_overrides jsonb, p_promotion jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
    DELETE FROM governance_policyrule r WHERE r.tenant_id = p_tenant;
    INSERT INTO governance_policyrule (tenant_id, id, op, proposer_kind, sensitivity, approvals)
    SELECT p_tenant, new_id(), x.op, x.proposer_kind, x.sensitivity, x.approvals
    FROM policy_rules_of(p_preset, p_overrides) x;
    UPDATE governance_tenant t SET policy = p_preset WHERE t.id = p_tenant;
    IF p_promotion IS NOT NULL THEN
        UPDATE governance_tenant t SET promotion_rules = t.promotion_rules || p_promotion,
            promotion_cursor = '00000000-0000-0000-0000-000000000000'
        WHERE t.id = p_tenant;
    END IF;
    UPDATE governance_policychangestate s SET takes_effect_at = NULL
    WHERE s.tenant_id = p_tenant AND s.status = 'pending' AND s.takes_effect_at IS NOT NULL;
END $function$
