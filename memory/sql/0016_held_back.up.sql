-- What is held back stays held back: quarantined successors and task updates do not count, a removed value is known in
-- every spelling, and hidden memory associates nothing.

-- Refuse an agent's amend to what an approved retract removed about the same subject: recorded, the text would be
-- quarantined, and amended it must not be in effect. People decide for themselves. Held by a trigger, since an edit is
-- recorded by governance, which knows no removed values.
CREATE FUNCTION refuse_removed_value() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE retract uuid;
BEGIN
    IF NOT EXISTS (SELECT 1 FROM memory_removedvalue v WHERE v.tenant_id = NEW.tenant_id) THEN RETURN NEW; END IF;
    SELECT v.edit_id INTO retract
    FROM governance_content c
    JOIN memory_removedvalue v ON v.tenant_id = NEW.tenant_id AND v.digest = normal_digest(c.body)
    JOIN (
        SELECT k.subject_type, k.subject_id FROM memory_chunk k
        WHERE NEW.target_type = 'chunk' AND k.tenant_id = NEW.tenant_id AND k.id = NEW.target_id
        UNION ALL
        SELECT d.subject_type, d.subject_id FROM memory_decision d
        WHERE NEW.target_type = 'decision' AND d.tenant_id = NEW.tenant_id AND d.id = NEW.target_id
    ) about ON about.subject_type IS NOT DISTINCT FROM v.subject_type
        AND about.subject_id IS NOT DISTINCT FROM v.subject_id
    WHERE c.tenant_id = NEW.tenant_id AND c.id = NEW.content_id
    ORDER BY v.edit_id LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'Edit % retracted this text about the same subject. Propose to revert that edit instead.', retract
            USING ERRCODE = 'SU409', CONSTRAINT = 'edit_brings_no_removed_value';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER no_removed_value BEFORE INSERT ON governance_edit FOR EACH ROW
    WHEN (NEW.op = 'amend' AND NEW.proposer_kind = 'agent' AND NEW.content_id IS NOT NULL)
    EXECUTE FUNCTION refuse_removed_value();

-- The projects and sessions that there is memory about a subject in, as far as whoever is listening may see it: what is
-- listed because of other memory would tell of it.
CREATE FUNCTION associated_with(
    p_tenant uuid, p_subject_type text, p_subject_id text, p_listening text[], p_sensitivities text[],
    p_include_quarantined boolean, OUT projects text[], OUT sessions text[]
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    SELECT coalesce(array_agg(DISTINCT x.project_id) FILTER (WHERE x.project_id IS NOT NULL), '{}'),
           coalesce(array_agg(DISTINCT x.session_id) FILTER (WHERE x.session_id IS NOT NULL), '{}')
    INTO projects, sessions
    FROM memory_effectivechunk x
    WHERE x.tenant_id = v_tenant AND x.subject_id = p_subject_id AND x.subject_type IS NOT NULL
      AND (p_subject_type IS NULL OR x.subject_type = p_subject_type)
      AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined);
END $$;

-- Decisions in force, by precedence (policy 4, project 3, user 2, session 1, global 0), then newest: policy and global
-- ones, those of the projects and sessions, the subject's own; or all.
CREATE FUNCTION decisions_in_force(
    p_tenant uuid, p_all boolean, p_scope text, p_projects text[], p_subject_type text, p_subject_id text,
    p_sessions text[], p_listening text[], p_sensitivities text[], p_include_quarantined boolean, p_limit int
) RETURNS TABLE (
    decision_id uuid, decision text, details text, importance numeric, ts timestamptz, precedence int,
    is_quarantined boolean, edits_applied int, event_id uuid, scope text, subject_type text, subject_id text,
    project_id text, session_id text, channel text
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    RETURN QUERY
    SELECT d.id, c.body, f.body, d.importance, d.ts,
        CASE d.scope WHEN 'policy' THEN 4 WHEN 'project' THEN 3 WHEN 'user' THEN 2 WHEN 'session' THEN 1 ELSE 0 END,
        d.is_quarantined, d.edits_applied, d.event_id, d.scope, d.subject_type, d.subject_id, d.project_id,
        d.session_id, d.channel
    FROM memory_effectivedecision d
    JOIN governance_content c ON c.tenant_id = v_tenant AND c.id = d.content_id
    LEFT JOIN governance_content f ON f.tenant_id = v_tenant AND f.id = d.details_id
    WHERE d.tenant_id = v_tenant AND d.status = 'active' AND NOT d.is_retracted
      AND (p_include_quarantined OR NOT d.is_quarantined)
      AND d.sensitivity = ANY (p_sensitivities) AND NOT d.blocked_channels && p_listening
      AND (p_scope IS NULL OR d.scope = p_scope)
      AND (p_all OR CASE d.scope
            WHEN 'project' THEN d.project_id = ANY (p_projects)
            WHEN 'user' THEN d.subject_id = p_subject_id AND (p_subject_type IS NULL OR d.subject_type = p_subject_type)
            WHEN 'session' THEN d.session_id = ANY (p_sessions) OR d.subject_id = ANY (p_sessions)
            ELSE true END)
    ORDER BY 6 DESC, d.ts DESC, d.id DESC LIMIT p_limit;
END $$;

SELECT governance_hand_to_gate(ARRAY[
    'refuse_removed_value()', 'associated_with(uuid,text,text,text[],text[],boolean)',
    'decisions_in_force(uuid,boolean,text,text[],text,text,text[],text[],text[],boolean,int)'
]::regprocedure[]);

GRANT CREATE ON SCHEMA public TO suture_gate;  -- CREATE OR REPLACE asks it of the functions' owner
SET ROLE suture_gate;

-- The state of one decision, were the edits of p_also cancelled besides. What superseded it counts only while that is
-- neither retracted nor quarantined itself.
CREATE OR REPLACE FUNCTION fold_decision(
    p_tenant uuid, p_decision uuid, p_also uuid[],
    OUT is_retracted boolean, OUT is_quarantined boolean, OUT blocked_channels text[], OUT content_id uuid,
    OUT details_id uuid, OUT importance numeric, OUT edits_applied int, OUT status text
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
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
    is_retracted := f.is_retracted OR NOT has_words(p_tenant, d.content_id, content_id);
    -- rationale and alternatives may repeat what was corrected
    details_id := CASE WHEN f.content_id IS NULL THEN d.details_id END;
    status := 'active';
    IF EXISTS (
        SELECT 1 FROM memory_decision later JOIN memory_effectivedecision x
            ON x.tenant_id = p_tenant AND x.id = later.id
        WHERE later.tenant_id = p_tenant AND later.supersedes_id = p_decision AND NOT x.is_quarantined
          -- its words erased, a successor is one still: what it replaced is not in force again
          AND (NOT x.is_retracted OR NOT has_words(p_tenant, later.content_id, x.content_id) AND NOT (
              SELECT g.is_retracted FROM fold_edits(p_tenant, later.id, (
                  SELECT coalesce(array_agg(c.id), '{}') FROM memory_chunk c
                  WHERE c.tenant_id = p_tenant AND c.event_id = later.event_id), 1, NULL, p_also) g))
    ) THEN status := 'superseded'; END IF;
END $$;

-- The state of one task: its newest update whose memory is neither retracted nor quarantined, else the newest that is
-- not retracted. Were its words erased, the task is in no answer until it is updated again: the update before it would
-- say what is over.
CREATE OR REPLACE FUNCTION fold_task(
    p_tenant uuid, p_task uuid,
    OUT update_id uuid, OUT event_id uuid, OUT content_id uuid, OUT details_id uuid, OUT status text, OUT ts timestamptz,
    OUT is_retracted boolean, OUT is_quarantined boolean, OUT blocked_channels text[], OUT edits_applied int
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
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
END $$;

-- What two texts have in common when they say the same: letters and digits in lower case, single spaces, whichever way
-- Unicode writes them, and without what it shows nothing of (Default_Ignorable_Code_Point). A text without letters and
-- digits, of emoji say, says what its characters are.
CREATE OR REPLACE FUNCTION normal_digest(p_text text) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT sha256(convert_to(coalesce(
        nullif(btrim(regexp_replace(lower(t.shown), '[^[:alnum:]]+', ' ', 'g')), ''),
        btrim(regexp_replace(t.shown, '\s+', ' ', 'g'))), 'UTF8'))
    FROM (SELECT normalize(regexp_replace(p_text, '[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F'
        '\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8\U0001BCA0-\U0001BCA3'
        '\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]+', '', 'g'), NFKC) AS shown) t
$$;

-- Quarantine those of the new chunks that say again what an approved retract removed about the same subject. Each is
-- an edit like any other, by whoever recorded it, applied by the policy, with the retract named as the reason.
CREATE OR REPLACE FUNCTION quarantine_removed_values(p_tenant uuid, p_kind text, p_by uuid, p_who text, p_chunks uuid[])
RETURNS TABLE (edit_id uuid, chunk_id uuid, retracted_by uuid, patch_sha256 bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE again record;
BEGIN
    IF NOT EXISTS (SELECT 1 FROM memory_removedvalue v WHERE v.tenant_id = p_tenant) THEN RETURN; END IF;
    FOR again IN
        SELECT DISTINCT ON (k.id) k.id, v.edit_id AS retract FROM memory_chunk k
        CROSS JOIN LATERAL (
            SELECT span_of(c.body, k.span_start, k.span_end) AS body FROM governance_content c
            WHERE c.tenant_id = p_tenant AND c.id = k.content_id
            UNION ALL  -- what the event decided, has to do or made, whatever text it came with
            SELECT c.body FROM memory_decision d JOIN governance_content c
                ON c.tenant_id = p_tenant AND c.id = d.content_id
            WHERE d.tenant_id = p_tenant AND d.event_id = k.event_id
            UNION ALL
            SELECT c.body FROM memory_task t JOIN governance_content c
                ON c.tenant_id = p_tenant AND c.id = t.content_id
            WHERE t.tenant_id = p_tenant AND t.event_id = k.event_id
            UNION ALL
            SELECT c.body FROM memory_artifact a JOIN governance_content c
                ON c.tenant_id = p_tenant AND c.id = a.content_id
            WHERE a.tenant_id = p_tenant AND a.event_id = k.event_id
        ) said
        JOIN memory_removedvalue v ON v.tenant_id = p_tenant AND v.digest = normal_digest(said.body)
            AND v.subject_type IS NOT DISTINCT FROM k.subject_type AND v.subject_id IS NOT DISTINCT FROM k.subject_id
        WHERE k.tenant_id = p_tenant AND k.id = ANY (p_chunks)
        ORDER BY k.id, v.edit_id
    LOOP
        edit_id := new_id(); chunk_id := again.id; retracted_by := again.retract;
        -- what patch_hash() in governance/services/edits/patches.py makes of an empty patch
        patch_sha256 := sha256(convert_to(format(
            '{"op":"quarantine","patch":{},"target_id":"%s","target_type":"chunk"}', again.id), 'UTF8'));
        INSERT INTO governance_edit (tenant_id, id, created_at, target_type, target_id, op, reason, proposer_kind,
            proposed_by, proposer, patch_sha256, approvals_required, policy)
        VALUES (p_tenant, edit_id, clock_timestamp(), 'chunk', again.id, 'quarantine',
            format('Recorded again after edit %s retracted it.', again.retract), p_kind, p_by, p_who, patch_sha256, 0,
            'removed-value');
        INSERT INTO governance_editstate (tenant_id, edit_id, status, approvals, created_at)
        VALUES (p_tenant, edit_id, 'pending', 0, clock_timestamp());
        INSERT INTO governance_verdict (tenant_id, id, edit_id, decision, decider_kind, decider, decided_at, reason,
            proposed_by, patch_sha256)
        VALUES (p_tenant, new_id(), edit_id, 'approved', 'policy', 'policy:removed-value', clock_timestamp(), '', p_by,
            patch_sha256);
        PERFORM apply_edit(p_tenant, edit_id, 'policy:removed-value');
        RETURN NEXT;
    END LOOP;
END $$;

-- Decisions in force. For a subject: policy and global always; those of projects that the subject is associated with or
-- that is asked for; the subject's own; those of sessions with memory about the subject.
CREATE OR REPLACE FUNCTION get_active_decisions(
    p_tenant uuid, p_scope text, p_project_id text, p_subject_type text, p_subject_id text, p_session_id text,
    p_listening text[], p_sensitivities text[], p_include_quarantined boolean, p_limit int
) RETURNS TABLE (
    decision_id uuid, decision text, details text, importance numeric, ts timestamptz, precedence int,
    is_quarantined boolean, edits_applied int, event_id uuid, scope text, subject_type text, subject_id text,
    project_id text, session_id text, channel text
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    v_tenant uuid := p_tenant;
    about record;
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT * INTO about
    FROM associated_with(v_tenant, p_subject_type, p_subject_id, p_listening, p_sensitivities, p_include_quarantined);
    RETURN QUERY
    SELECT * FROM decisions_in_force(v_tenant, num_nonnulls(p_project_id, p_subject_id, p_session_id) = 0, p_scope,
        about.projects || p_project_id, p_subject_type, p_subject_id, about.sessions || p_session_id, p_listening,
        p_sensitivities, p_include_quarantined, p_limit);
END $$;

-- Decisions in force for the session, its subject and project, as get_active_decisions has them.
CREATE OR REPLACE FUNCTION get_context_decisions(
    p_tenant uuid, p_session_id text, p_subject_type text, p_subject_id text, p_project_id text, p_listening text[],
    p_sensitivities text[], p_include_quarantined boolean, p_offset int, p_limit int, p_beyond int
) RETURNS TABLE (
    decision_id uuid, withheld text, decision text, details text, importance numeric, ts timestamptz, precedence int,
    is_quarantined boolean, edits_applied int, event_id uuid, scope text, subject_type text, subject_id text,
    project_id text, session_id text, channel text, content_hash text, available int
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    v_tenant uuid := p_tenant;
    reach int := p_offset + p_limit + p_beyond;
    ids uuid[];
    hidden uuid[];
    met int;
    about record;
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT * INTO about
    FROM associated_with(v_tenant, p_subject_type, p_subject_id, p_listening, p_sensitivities, p_include_quarantined);
    SELECT array_agg(n.id ORDER BY n.place) FILTER (WHERE n.why IS NULL),
        array_agg(n.id ORDER BY n.place) FILTER (WHERE n.why IS NOT NULL), count(*)
    INTO ids, hidden, met
    FROM (
        SELECT x.id, a.ordinality AS place, why_withheld(x.sensitivity, x.blocked_channels, x.is_quarantined,
            p_listening, p_sensitivities, p_include_quarantined) AS why
        FROM decisions_in_force(v_tenant, false, NULL, about.projects || p_project_id, p_subject_type, p_subject_id,
            about.sessions || p_session_id, '{}', ARRAY['none', 'low', 'high', 'secret'], true, reach)
            WITH ORDINALITY a
        JOIN memory_effectivedecision x ON x.tenant_id = v_tenant AND x.id = a.decision_id
    ) n;
    IF met = reach AND hidden IS NOT NULL THEN
        -- hidden ones took places: those that may be seen, alone
        SELECT array_agg(a.decision_id) INTO ids
        FROM get_active_decisions(v_tenant, NULL, p_project_id, p_subject_type, p_subject_id, p_session_id,
            p_listening, p_sensitivities, p_include_quarantined, reach) a;
    END IF;
    RETURN QUERY
    SELECT x.id, w.why, CASE WHEN w.why IS NULL THEN c.body END, CASE WHEN w.why IS NULL THEN f.body END, x.importance,
        x.ts,
        CASE x.scope WHEN 'policy' THEN 4 WHEN 'project' THEN 3 WHEN 'user' THEN 2 WHEN 'session' THEN 1 ELSE 0 END,
        x.is_quarantined, x.edits_applied, x.event_id, x.scope, x.subject_type, x.subject_id, x.project_id,
        x.session_id, x.channel, words_hash(c.sha256, f.sha256, NULL, NULL), coalesce(cardinality(ids), 0)
    FROM unnest(ids[p_offset + 1 : p_offset + p_limit] || hidden[: p_beyond]) WITH ORDINALITY AS n (id, place)
    JOIN memory_effectivedecision x ON x.tenant_id = v_tenant AND x.id = n.id
    JOIN governance_content c ON c.tenant_id = v_tenant AND c.id = x.content_id
    LEFT JOIN governance_content f ON f.tenant_id = v_tenant AND f.id = x.details_id
    CROSS JOIN LATERAL (SELECT why_withheld(x.sensitivity, x.blocked_channels, x.is_quarantined, p_listening,
        p_sensitivities, p_include_quarantined) AS why) w
    ORDER BY n.place;
END $$;

-- What is recorded already, by the new rules.
DO $$
DECLARE one record;
BEGIN
    FOR one IN
        SELECT DISTINCT d.tenant_id, d.supersedes_id AS id FROM memory_decision d
        JOIN memory_effectivedecision x ON x.tenant_id = d.tenant_id AND x.id = d.id AND x.is_quarantined
        WHERE d.supersedes_id IS NOT NULL
    LOOP
        PERFORM refold_one_decision(one.tenant_id, one.id);
    END LOOP;
    FOR one IN
        SELECT DISTINCT t.tenant_id, t.task_id AS id FROM memory_task t
        JOIN memory_effectivechunk x ON x.tenant_id = t.tenant_id AND x.event_id = t.event_id AND x.is_quarantined
    LOOP
        PERFORM refold_task(one.tenant_id, one.id);
    END LOOP;
    FOR one IN
        SELECT DISTINCT k.tenant_id, k.event_id, CASE WHEN k.event_id IS NULL THEN k.id END AS chunk_id
        FROM memory_removedvalue v JOIN memory_chunk k ON k.tenant_id = v.tenant_id AND k.id = v.chunk_id
    LOOP
        PERFORM remember_removed(one.tenant_id, one.event_id, one.chunk_id);
    END LOOP;
END $$;
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM suture_gate;
