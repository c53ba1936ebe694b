SET ROLE suture_gate;
DROP FUNCTION get_authored_capsules(uuid,text,uuid,text,text,text,text,interval,text[],text[],uuid,int);
DROP FUNCTION get_available_capsules(uuid,uuid,text,text,text,text,text,text[],text[],boolean,uuid,int);
DROP FUNCTION preview_capsule_revert(uuid,uuid,uuid);
DROP FUNCTION erase_copies_of_capsules(uuid,uuid);
DROP FUNCTION capsules_to_check(uuid,uuid[],uuid[]);
RESET ROLE;

-- A capsule as it is and as it would be, were p_edit reverted now; with its note, also of a retracted one: whether the
-- caller may read it is for the service to ask.
CREATE FUNCTION preview_capsule_revert(p_tenant uuid, p_capsule uuid, p_edit uuid) RETURNS TABLE (
    is_reverted boolean, sensitivity text, text text, importance numeric, is_retracted boolean, is_quarantined boolean,
    blocked_channels text[], is_superseded boolean, edits_applied int
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT side.reverted, k.sensitivity::text, coalesce(c.body, ''), f.importance::numeric(5,4), f.is_retracted,
        f.is_quarantined, f.blocked_channels, false, f.edits_applied
    FROM capsules_capsule k
    CROSS JOIN (VALUES (false, '{}'::uuid[]), (true, ARRAY[p_edit])) side (reverted, also)
    CROSS JOIN LATERAL fold_capsule(p_tenant, k.id, side.also) f
    LEFT JOIN governance_content c ON c.tenant_id = p_tenant AND c.id = f.note_id
    WHERE k.tenant_id = p_tenant AND k.id = p_capsule
    ORDER BY side.reverted;
END $$;

-- The capsules that an agent was given and may still read, newest first, beyond p_before_id. p_agent NULL: all of the
-- tenant, for people with a role.
CREATE FUNCTION get_available_capsules(
    p_tenant uuid, p_agent uuid, p_subject_type text, p_subject_id text, p_scope text, p_author text,
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
                  AND y.expires_at > moment AND (p_subject_type IS NULL OR y.subject_type = p_subject_type)
                  AND (p_scope IS NULL OR y.scope = p_scope) AND (p_author IS NULL OR y.author = p_author)
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
    p_within interval, p_listening text[], p_sensitivities text[], p_before_id uuid, p_limit int
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
          AND (p_within IS NULL
               OR x.status = 'active' AND x.expires_at > moment AND x.expires_at <= moment + p_within)
          AND (p_before_id IS NULL OR x.id < p_before_id)
        ORDER BY x.id DESC LIMIT p_limit) n;
    RETURN QUERY SELECT * FROM capsule_rows(v_tenant, ids, p_listening, p_sensitivities);
END $$;

SELECT governance_hand_to_gate(ARRAY[
    'preview_capsule_revert(uuid,uuid,uuid)',
    'get_available_capsules(uuid,uuid,text,text,text,text,text[],text[],boolean,uuid,int)',
    'get_authored_capsules(uuid,text,uuid,text,text,text,interval,text[],text[],uuid,int)'
]::regprocedure[]);

GRANT CREATE ON SCHEMA public TO suture_gate;  -- CREATE OR REPLACE asks it of the functions' owner
SET ROLE suture_gate;
GRANT EXECUTE ON FUNCTION preview_capsule_revert(uuid,uuid,uuid) TO suture_app, suture_review;
GRANT EXECUTE ON FUNCTION
    get_available_capsules(uuid,uuid,text,text,text,text,text[],text[],boolean,uuid,int),
    get_authored_capsules(uuid,text,uuid,text,text,text,interval,text[],text[],uuid,int) TO suture_app;

-- The state of one capsule, were the edits of p_also cancelled besides. An amended text takes the place of the note; the
-- risks may repeat what was corrected, and are withheld.
CREATE OR REPLACE FUNCTION fold_capsule(
    p_tenant uuid, p_capsule uuid, p_also uuid[],
    OUT is_retracted boolean, OUT is_quarantined boolean, OUT blocked_channels text[], OUT note_id uuid,
    OUT risks_id uuid, OUT importance numeric, OUT edits_applied int
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    c capsules_capsule;
    f record;
BEGIN
    SELECT * INTO STRICT c FROM capsules_capsule x WHERE x.tenant_id = p_tenant AND x.id = p_capsule;
    SELECT * INTO f FROM fold_edits(p_tenant, c.id, ARRAY(SELECT capsule_origins(p_tenant, c.id)), 0.5, NULL, p_also);
    is_retracted := f.is_retracted; is_quarantined := f.is_quarantined; blocked_channels := f.blocked_channels;
    importance := f.importance; edits_applied := f.edits_applied;
    note_id := coalesce(f.content_id, c.note_id);
    risks_id := CASE WHEN f.content_id IS NULL THEN c.risks_id END;
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
        CASE WHEN w.why IS NULL THEN n.body END, CASE WHEN w.why IS NULL THEN r.body END,
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
-- with which they are erased. Nothing else is made of them, so there are no copies to destroy.
CREATE OR REPLACE FUNCTION erasable_of_capsules(
    p_tenant uuid, p_by text, p_target uuid, p_subject_type text, p_subject_id text
) RETURNS TABLE (kind text, record_id uuid, content_id uuid, retention text) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT 'capsule', c.id, w.id, 'relationship' FROM capsules_capsule c
    CROSS JOIN LATERAL (VALUES (c.note_id), (c.risks_id)) w (id)
    WHERE c.tenant_id = p_tenant AND c.forwards_id IS NULL AND w.id IS NOT NULL AND CASE p_by
        WHEN 'subject' THEN c.subject_type = p_subject_type AND c.subject_id = p_subject_id
        WHEN 'agent' THEN c.author_kind = 'agent' AND c.authored_by = p_target END;
END $$;

DROP FUNCTION risks_in(text);
DROP FUNCTION note_in(text);
DROP FUNCTION capsule_amend(text);

-- An amend that names its words is the note now, as its row has it.
DO $$ BEGIN
    PERFORM refold_one_capsule(x.tenant_id, x.id) FROM capsules_effectivecapsule x WHERE x.edits_applied > 0;
END $$;
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM suture_gate;
