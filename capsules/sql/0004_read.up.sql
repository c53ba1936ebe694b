-- Reading capsules: to whom they were given, until they expire, and their items as the reader may see them now.

-- A capsule for a reader. `withheld` names why there are no words: `sensitivity`, `blocked`, or `erased` by law. With a
-- `refusal` (see capsule_refusal) it says nothing else.
CREATE TYPE capsule_row AS (
    refusal text, capsule_id uuid, status text, created_at timestamptz, expires_at timestamptz, scope text, subject_type text,
    subject_id text, project_id text, author text, forwards_id uuid, may_forward boolean, item_count int,
    audience_count int, importance numeric, is_quarantined boolean, edits_applied int, revoked_at timestamptz,
    warned_at timestamptz, withheld text, note text, risks text, content_hash text
);

-- Capsules by id, in that order, for whoever hears p_listening.
CREATE FUNCTION capsule_rows(p_tenant uuid, p_ids uuid[], p_listening text[], p_sensitivities text[])
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

-- The capsules to give an agent unasked, the most important first, then the newest. Those that are quarantined, or
-- blocked where it speaks, are rows too, so that a bundle can tell what it left out.
CREATE FUNCTION get_context_capsules(
    p_tenant uuid, p_agent uuid, p_subject_type text, p_subject_id text, p_listening text[], p_sensitivities text[],
    p_include_quarantined boolean, p_limit int
) RETURNS SETOF capsule_row LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    moment timestamptz := statement_timestamp();
    ids uuid[];
    found capsule_row;
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT array_agg(n.id) INTO ids FROM (
        SELECT x.id FROM capsules_effectivecapsule x
        WHERE x.tenant_id = v_tenant AND x.status = 'active' AND NOT x.is_retracted AND x.expires_at > moment
          AND (p_subject_type IS NULL OR x.subject_type = p_subject_type)
          AND (p_subject_id IS NULL OR x.subject_id = p_subject_id)
          AND EXISTS (
              SELECT 1 FROM capsules_capsuleaudience a
              WHERE a.tenant_id = v_tenant AND a.agent_id = p_agent AND a.capsule_id = x.id AND a.expires_at > moment)
        ORDER BY x.importance DESC, x.id DESC LIMIT p_limit) n;
    FOR found IN SELECT * FROM capsule_rows(v_tenant, ids, p_listening, p_sensitivities) LOOP
        IF found.is_quarantined AND NOT p_include_quarantined THEN
            found.withheld := 'quarantined'; found.note := NULL; found.risks := NULL;
        END IF;
        RETURN NEXT found;
    END LOOP;
END $$;

-- One capsule for a reader, or why it is refused them.
CREATE FUNCTION read_capsule(
    p_tenant uuid, p_capsule uuid, p_reader_kind text, p_reader uuid, p_listening text[], p_sensitivities text[]
) RETURNS SETOF capsule_row LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE found capsule_row;
BEGIN
    PERFORM require_tenant(p_tenant);
    found.refusal := capsule_refusal(p_tenant, p_capsule, p_reader_kind, p_reader);
    IF found.refusal IS NOT NULL THEN RETURN NEXT found; RETURN; END IF;
    RETURN QUERY SELECT * FROM capsule_rows(p_tenant, ARRAY[p_capsule], p_listening, p_sensitivities);
END $$;

-- Who gave what to whom: the capsule and those that it was forwarded from, the first one first, each with p_names of
-- its audience at most.
CREATE FUNCTION capsule_custody(p_tenant uuid, p_capsule uuid, p_names int) RETURNS TABLE (
    capsule_id uuid, author text, given_at timestamptz, audience text[], audience_count int
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
DECLARE ids uuid[] := p_capsule || ARRAY(SELECT capsule_origins(p_tenant, p_capsule));
BEGIN
    PERFORM require_tenant(p_tenant);
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
END $$;

-- The items of some capsules, in order, as whoever hears p_listening may see them now. `withheld` names why one has no
-- words: erased, retracted, superseded, sensitivity, blocked, quarantined. An artifact is read as its event is.
CREATE FUNCTION get_capsule_items(
    p_tenant uuid, p_capsules uuid[], p_listening text[], p_sensitivities text[], p_include_quarantined boolean
) RETURNS TABLE (
    capsule_id uuid, kind text, item_id uuid, withheld text, text text, details text, importance numeric,
    ts timestamptz, edits_applied int, is_quarantined boolean, status text, media_type text, event_id uuid,
    session_id text, scope text, subject_type text, subject_id text, project_id text, channel text, content_hash text
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    kinds text[];
    artifacts uuid[];
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT array_agg(DISTINCT i.kind) INTO kinds FROM capsules_capsuleitem i
    WHERE i.tenant_id = v_tenant AND i.capsule_id = ANY (p_capsules);
    IF 'chunk' = ANY (kinds) THEN
        RETURN QUERY
        SELECT i.capsule_id, i.kind, i.item_id, w.why,
            CASE WHEN w.why IS NULL THEN span_of(c.body, x.span_start, x.span_end) END, NULL, x.importance::numeric,
            x.ts, x.edits_applied, x.is_quarantined, NULL, NULL, x.event_id, x.session_id, x.scope, x.subject_type,
            x.subject_id, x.project_id, x.channel, words_hash(c.sha256, NULL, x.span_start, x.span_end)
        FROM capsules_capsuleitem i
        JOIN memory_effectivechunk x ON x.tenant_id = v_tenant AND x.id = i.item_id
        LEFT JOIN governance_content c ON c.tenant_id = v_tenant AND c.id = x.content_id
        CROSS JOIN LATERAL (SELECT CASE WHEN c.id IS NULL THEN 'erased' WHEN x.is_retracted THEN 'retracted'
            WHEN x.superseded_by IS NOT NULL THEN 'superseded'
            ELSE why_withheld(x.sensitivity, x.blocked_channels, x.is_quarantined, p_listening, p_sensitivities,
                p_include_quarantined) END AS why) w
        WHERE i.tenant_id = v_tenant AND i.capsule_id = ANY (p_capsules) AND i.kind = 'chunk'
        ORDER BY i.capsule_id, i.position;
    END IF;
    IF 'decision' = ANY (kinds) THEN
        RETURN QUERY
        SELECT i.capsule_id, i.kind, i.item_id, w.why, CASE WHEN w.why IS NULL THEN c.body END,
            CASE WHEN w.why IS NULL THEN f.body END, d.importance::numeric, d.ts, d.edits_applied, d.is_quarantined,
            d.status, NULL, d.event_id, d.session_id, d.scope, d.subject_type, d.subject_id, d.project_id, d.channel,
            words_hash(c.sha256, f.sha256, NULL, NULL)
        FROM capsules_capsuleitem i
        JOIN memory_effectivedecision d ON d.tenant_id = v_tenant AND d.id = i.item_id
        LEFT JOIN governance_content c ON c.tenant_id = v_tenant AND c.id = d.content_id
        LEFT JOIN governance_content f ON f.tenant_id = v_tenant AND f.id = d.details_id
        CROSS JOIN LATERAL (SELECT CASE WHEN c.id IS NULL THEN 'erased' WHEN d.is_retracted THEN 'retracted'
            ELSE why_withheld(d.sensitivity, d.blocked_channels, d.is_quarantined, p_listening, p_sensitivities,
                p_include_quarantined) END AS why) w
        WHERE i.tenant_id = v_tenant AND i.capsule_id = ANY (p_capsules) AND i.kind = 'decision'
        ORDER BY i.capsule_id, i.position;
    END IF;
    IF 'artifact' = ANY (kinds) THEN
        SELECT array_agg(DISTINCT a.event_id) INTO artifacts FROM capsules_capsuleitem i
        JOIN memory_artifact a ON a.tenant_id = v_tenant AND a.id = i.item_id
        WHERE i.tenant_id = v_tenant AND i.capsule_id = ANY (p_capsules) AND i.kind = 'artifact';
        RETURN QUERY
        SELECT i.capsule_id, i.kind, i.item_id, e.withheld, e.text, e.fields, NULL::numeric, a.ts, e.edits_applied,
            NULL::boolean, NULL, a.media_type, a.event_id, a.session_id, a.scope, a.subject_type, a.subject_id,
            a.project_id, a.channel, NULL
        FROM capsules_capsuleitem i
        JOIN memory_artifact a ON a.tenant_id = v_tenant AND a.id = i.item_id
        JOIN get_events(v_tenant, artifacts, p_listening, p_sensitivities, p_include_quarantined) e
            ON e.event_id = a.event_id
        WHERE i.tenant_id = v_tenant AND i.capsule_id = ANY (p_capsules) AND i.kind = 'artifact'
        ORDER BY i.capsule_id, i.position;
    END IF;
END $$;

SELECT governance_hand_to_gate(ARRAY[
    'capsule_rows(uuid,uuid[],text[],text[])',
    'get_available_capsules(uuid,uuid,text,text,text,text,text[],text[],boolean,uuid,int)',
    'get_authored_capsules(uuid,text,uuid,text,text,text,interval,text[],text[],uuid,int)',
    'get_context_capsules(uuid,uuid,text,text,text[],text[],boolean,int)',
    'read_capsule(uuid,uuid,text,uuid,text[],text[])', 'capsule_custody(uuid,uuid,int)',
    'get_capsule_items(uuid,uuid[],text[],text[],boolean)'
]::regprocedure[]);
SET ROLE suture_gate;
GRANT EXECUTE ON FUNCTION
    get_available_capsules(uuid,uuid,text,text,text,text,text[],text[],boolean,uuid,int),
    get_authored_capsules(uuid,text,uuid,text,text,text,interval,text[],text[],uuid,int),
    get_context_capsules(uuid,uuid,text,text,text[],text[],boolean,int),
    read_capsule(uuid,uuid,text,uuid,text[],text[]), capsule_custody(uuid,uuid,int),
    get_capsule_items(uuid,uuid[],text[],text[],boolean) TO suture_app;
RESET ROLE;
