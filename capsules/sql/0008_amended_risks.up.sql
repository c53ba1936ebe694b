-- Amends of a capsule's risks, lists of one project, and what an erasure finds of a capsule's words.
--
-- An amend has one content row for its words. A capsule's says in it which of note and risks it replaces: after a record
-- separator (U+001E), which no text that is taken in can hold, a JSON object of `text`, `risks` or both
-- (docs/decisions/0007-amended-risks.md). An amend from before that is the bare note, and withholds the risks.

-- These three are inlined, into lists of many capsules: a setting of their own would cost more than they do.
CREATE FUNCTION capsule_amend(p_body text) RETURNS json LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN starts_with(p_body, chr(30)) THEN substr(p_body, 2)::json END
$$;

-- The note, and the JSON of the risks, that a content row gives a capsule: the capsule's own or that of an amend.
CREATE FUNCTION note_in(p_body text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(capsule_amend(p_body) ->> 'text', p_body)
$$;

CREATE FUNCTION risks_in(p_body text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce((capsule_amend(p_body) -> 'risks')::text, p_body)
$$;

-- The capsules that hold one of these records and keep words beside p_contents: they may repeat what the records said.
CREATE FUNCTION capsules_to_check(p_tenant uuid, p_records uuid[], p_contents uuid[]) RETURNS SETOF uuid
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
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
END $$;

-- Fold anew the capsules of which an amend was erased: nothing says any more which words it replaced, so none of them
-- may be read.
CREATE FUNCTION erase_copies_of_capsules(p_tenant uuid, p_erasure uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
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
END $$;

SET ROLE suture_gate;
DROP FUNCTION preview_capsule_revert(uuid,uuid,uuid);
DROP FUNCTION get_authored_capsules(uuid,text,uuid,text,text,text,interval,text[],text[],uuid,int);
DROP FUNCTION get_available_capsules(uuid,uuid,text,text,text,text,text[],text[],boolean,uuid,int);
RESET ROLE;

-- A capsule as it is and as it would be, were p_edit reverted now; with its words, also of a retracted one: whether the
-- caller may read it is for the service to ask.
CREATE FUNCTION preview_capsule_revert(p_tenant uuid, p_capsule uuid, p_edit uuid) RETURNS TABLE (
    is_reverted boolean, sensitivity text, text text, risks text, importance numeric, is_retracted boolean,
    is_quarantined boolean, blocked_channels text[], is_superseded boolean, edits_applied int
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT side.reverted, k.sensitivity::text, CASE WHEN f.note_id IS NULL THEN '' ELSE note_in(n.body) END,
        CASE WHEN f.risks_id IS NULL THEN '[]' ELSE risks_in(r.body) END, f.importance::numeric(5,4), f.is_retracted,
        f.is_quarantined, f.blocked_channels, false, f.edits_applied
    FROM capsules_capsule k
    CROSS JOIN (VALUES (false, '{}'::uuid[]), (true, ARRAY[p_edit])) side (reverted, also)
    CROSS JOIN LATERAL fold_capsule(p_tenant, k.id, side.also) f
    LEFT JOIN governance_content n ON n.tenant_id = p_tenant AND n.id = f.note_id
    LEFT JOIN governance_content r ON r.tenant_id = p_tenant AND r.id = f.risks_id
    WHERE k.tenant_id = p_tenant AND k.id = p_capsule
    ORDER BY side.reverted;
END $$;

-- The capsules that an agent was given and may still read, newest first, beyond p_before_id. p_agent NULL: all of the
-- tenant, for people with a role.
CREATE FUNCTION get_available_capsules(
    p_tenant uuid, p_agent uuid, p_subject_type text, p_subject_id text, p_scope text, p_project_id text, p_author text,
    p_listening text[], p_sensitivities text[], p_include_quarantined boolean, p_before_id uuid, p_limit int
) RETURNS SETOF capsule_row LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    moment timestamptz := statement_timestamp();
    ids uuid[];
BEGIN
    PERFORM require_tenant(p_tenant);
    IF p_agent IS NULL OR p_subject_id IS NOT NULL THEN
        -- Few are about one subject: of each of those it is looked up whether it was given to the agent. As a join
        -- (without OFFSET 0) the statistics of the day would decide.
        SELECT array_agg(n.id) INTO ids FROM (
            SELECT x.id FROM capsules_effectivecapsule x
            WHERE x.tenant_id = v_tenant AND x.status = 'active' AND NOT x.is_retracted AND x.expires_at > moment
              AND (p_subject_type IS NULL OR x.subject_type = p_subject_type)
              AND (p_subject_id IS NULL OR x.subject_id = p_subject_id)
              AND (p_scope IS NULL OR x.scope = p_scope) AND (p_author IS NULL OR x.author = p_author)
              AND (p_project_id IS NULL OR x.project_id = p_project_id)
              AND (p_include_quarantined OR NOT x.is_quarantined) AND NOT x.blocked_channels && p_listening
              AND (p_before_id IS NULL OR x.id < p_before_id)
              AND (p_agent IS NULL OR (
                  SELECT true FROM capsules_capsuleaudience a
                  WHERE a.tenant_id = v_tenant AND a.agent_id = p_agent AND a.capsule_id = x.id OFFSET 0))
            ORDER BY x.id DESC LIMIT p_limit) n;
    ELSE
        -- From the newest that the agent was given on, until there are enough.
        SELECT array_agg(n.id) INTO ids FROM (
            SELECT x.id FROM (
                SELECT a.capsule_id FROM capsules_capsuleaudience a
                WHERE a.tenant_id = v_tenant AND a.agent_id = p_agent AND a.expires_at > moment
                  AND (p_before_id IS NULL OR a.capsule_id < p_before_id)
                ORDER BY a.capsule_id DESC OFFSET 0
            ) g
            CROSS JOIN LATERAL (
                SELECT y.id FROM capsules_effectivecapsule y
                WHERE y.tenant_id = v_tenant AND y.id = g.capsule_id AND y.status = 'active' AND NOT y.is_retracted
                  -- IS TRUE: by its key, not by an index on the expiry, which without statistics seems as good
                  AND (y.expires_at > moment) IS TRUE
                  AND (p_subject_type IS NULL OR y.subject_type = p_subject_type)
                  AND (p_scope IS NULL OR y.scope = p_scope) AND (p_author IS NULL OR y.author = p_author)
                  AND (p_project_id IS NULL OR y.project_id = p_project_id)
                  AND (p_include_quarantined OR NOT y.is_quarantined) AND NOT y.blocked_channels && p_listening
                OFFSET 0
            ) x
            ORDER BY g.capsule_id DESC LIMIT p_limit) n;
    END IF;
    RETURN QUERY SELECT * FROM capsule_rows(v_tenant, ids, p_listening, p_sensitivities);
END $$;

-- The capsules that an author gave, in every status, newest first, beyond p_before_id. With p_within, only active ones
-- that expire so soon.
CREATE FUNCTION get_authored_capsules(
    p_tenant uuid, p_author_kind text, p_author uuid, p_subject_type text, p_subject_id text, p_scope text,
    p_project_id text, p_within interval, p_listening text[], p_sensitivities text[], p_before_id uuid, p_limit int
) RETURNS SETOF capsule_row LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    moment timestamptz := statement_timestamp();
    ids uuid[];
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT array_agg(n.id) INTO ids FROM (
        SELECT x.id FROM capsules_effectivecapsule x
        WHERE x.tenant_id = v_tenant AND x.authored_by = p_author AND x.author_kind = p_author_kind
          AND NOT x.is_retracted
          AND (p_subject_type IS NULL OR x.subject_type = p_subject_type)
          AND (p_subject_id IS NULL OR x.subject_id = p_subject_id) AND (p_scope IS NULL OR x.scope = p_scope)
          AND (p_project_id IS NULL OR x.project_id = p_project_id)
          AND (p_within IS NULL
               OR x.status = 'active' AND x.expires_at > moment AND x.expires_at <= moment + p_within)
          AND (p_before_id IS NULL OR x.id < p_before_id)
        ORDER BY x.id DESC LIMIT p_limit) n;
    RETURN QUERY SELECT * FROM capsule_rows(v_tenant, ids, p_listening, p_sensitivities);
END $$;

SELECT governance_hand_to_gate(ARRAY[
    'capsule_amend(text)', 'note_in(text)', 'risks_in(text)', 'capsules_to_check(uuid,uuid[],uuid[])',
    'erase_copies_of_capsules(uuid,uuid)', 'preview_capsule_revert(uuid,uuid,uuid)',
    'get_available_capsules(uuid,uuid,text,text,text,text,text,text[],text[],boolean,uuid,int)',
    'get_authored_capsules(uuid,text,uuid,text,text,text,text,interval,text[],text[],uuid,int)'
]::regprocedure[]);

GRANT CREATE ON SCHEMA public TO suture_gate;  -- CREATE OR REPLACE asks it of the functions' owner
SET ROLE suture_gate;
GRANT EXECUTE ON FUNCTION capsules_to_check(uuid,uuid[],uuid[]),
    get_available_capsules(uuid,uuid,text,text,text,text,text,text[],text[],boolean,uuid,int),
    get_authored_capsules(uuid,text,uuid,text,text,text,text,interval,text[],text[],uuid,int) TO suture_app;
GRANT EXECUTE ON FUNCTION preview_capsule_revert(uuid,uuid,uuid) TO suture_app, suture_review;
GRANT EXECUTE ON FUNCTION capsule_amend(text), note_in(text), risks_in(text) TO suture_review;

-- The state of one capsule, were the edits of p_also cancelled besides. Of note and risks each is what the last amend
-- says that replaces it.
CREATE OR REPLACE FUNCTION fold_capsule(
    p_tenant uuid, p_capsule uuid, p_also uuid[],
    OUT is_retracted boolean, OUT is_quarantined boolean, OUT blocked_channels text[], OUT note_id uuid,
    OUT risks_id uuid, OUT importance numeric, OUT edits_applied int
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
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
        SELECT x.content_id, (
            SELECT w.body FROM governance_content w WHERE w.tenant_id = p_tenant AND w.id = x.content_id) AS body
        FROM applied_edits(p_tenant, c.id || origins, NULL) x
        WHERE x.op = 'amend' AND x.content_id IS NOT NULL AND NOT x.id = ANY (cancelled)
        ORDER BY x.applied_at, x.id
    LOOP
        words := capsule_amend(e.body);
        IF words IS NOT NULL THEN
            IF words -> 'text' IS NOT NULL THEN note_id := e.content_id; END IF;
            IF words -> 'risks' IS NOT NULL THEN risks_id := e.content_id; END IF;
        ELSE
            note_id := e.content_id;
            -- of erased words nobody knows any more which they replaced; a bare note withholds the risks
            risks_id := CASE WHEN e.body IS NULL THEN e.content_id END;
        END IF;
    END LOOP;
END $$;

-- Capsules by id, in that order, for whoever hears p_listening.
CREATE OR REPLACE FUNCTION capsule_rows(p_tenant uuid, p_ids uuid[], p_listening text[], p_sensitivities text[])
RETURNS SETOF capsule_row LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    RETURN QUERY
    SELECT NULL, x.id, CASE WHEN x.status = 'active' AND x.expires_at <= statement_timestamp() THEN 'expired' ELSE x.status END,
        x.created_at, x.expires_at, x.scope, x.subject_type, x.subject_id, x.project_id, x.author, x.forwards_id,
        x.may_forward, x.item_count, x.audience_count, x.importance::numeric, x.is_quarantined, x.edits_applied,
        x.revoked_at, x.warned_at,
        CASE WHEN x.note_id IS NOT NULL AND n.id IS NULL OR x.risks_id IS NOT NULL AND r.id IS NULL THEN 'erased'
             ELSE w.why END,
        CASE WHEN w.why IS NULL THEN note_in(n.body) END, CASE WHEN w.why IS NULL THEN risks_in(r.body) END,
        words_hash(n.sha256, r.sha256, NULL, NULL)
    FROM unnest(p_ids) WITH ORDINALITY AS i (id, at)
    JOIN capsules_effectivecapsule x ON x.tenant_id = v_tenant AND x.id = i.id
    CROSS JOIN LATERAL (
        SELECT why_withheld(x.sensitivity, x.blocked_channels, false, p_listening, p_sensitivities, true) AS why) w
    LEFT JOIN governance_content n ON n.tenant_id = v_tenant AND n.id = x.note_id
    LEFT JOIN governance_content r ON r.tenant_id = v_tenant AND r.id = x.risks_id
    ORDER BY i.at;
END $$;

-- What an erasure names of capsules (governance/sql/0009). A forwarded one has its words from the first of its chain,
-- with which they are erased; it is named too, as one without words is, for the edits of it.
CREATE OR REPLACE FUNCTION erasable_of_capsules(
    p_tenant uuid, p_by text, p_target uuid, p_subject_type text, p_subject_id text
) RETURNS TABLE (kind text, record_id uuid, content_id uuid, retention text) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT 'capsule', c.id, CASE WHEN c.forwards_id IS NULL THEN w.id END, 'relationship' FROM capsules_capsule c
    CROSS JOIN LATERAL (VALUES (c.note_id), (c.risks_id)) w (id)
    WHERE c.tenant_id = p_tenant AND CASE p_by
        WHEN 'subject' THEN c.subject_type = p_subject_type AND c.subject_id = p_subject_id
        WHEN 'agent' THEN c.author_kind = 'agent' AND c.authored_by = p_target END;
END $$;

-- Capsules of which an amend was erased before now.
DO $$ BEGIN
    PERFORM refold_one_capsule(x.tenant_id, x.id) FROM capsules_effectivecapsule x
    JOIN capsules_capsule c ON c.tenant_id = x.tenant_id AND c.id = x.id AND c.note_id IS DISTINCT FROM x.note_id
    JOIN governance_erasedcontent gone ON gone.tenant_id = x.tenant_id AND gone.id = x.note_id;
END $$;
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM suture_gate;
