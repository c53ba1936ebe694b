-- Handing over: the only way to make, pass on, revoke and expire a capsule.
--
-- What a caller is refused on account of the audience is answered in a column and not raised: the refusal is kept in
-- the access log, and an exception would undo that too.

SELECT governance_guard_always();

GRANT SELECT ON capsules_capsule, capsules_capsuleitem, capsules_capsuleaudience, capsules_effectivecapsule
    TO suture_gate, suture_app, suture_review;
GRANT INSERT ON capsules_capsule, capsules_capsuleitem, capsules_capsuleaudience, capsules_effectivecapsule
    TO suture_gate;
GRANT UPDATE ON capsules_effectivecapsule TO suture_gate;

-- Why a reader may not have a capsule: `unknown` (none there, or retracted), `outside` its audience, `revoked`,
-- `expired`; NULL where they may. Its author and people with a role read it in every status.
CREATE FUNCTION capsule_refusal(p_tenant uuid, p_capsule uuid, p_reader_kind text, p_reader uuid) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE x capsules_effectivecapsule;
BEGIN
    SELECT * INTO x FROM capsules_effectivecapsule y WHERE y.tenant_id = p_tenant AND y.id = p_capsule;
    IF NOT FOUND OR x.is_retracted THEN RETURN 'unknown'; END IF;
    IF x.author_kind = p_reader_kind AND x.authored_by = p_reader THEN RETURN NULL; END IF;
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
END $$;

-- The capsules that a capsule was forwarded from, nearest first.
CREATE FUNCTION capsule_origins(p_tenant uuid, p_capsule uuid) RETURNS SETOF uuid LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE one uuid := p_capsule;
BEGIN
    LOOP
        SELECT c.forwards_id INTO one FROM capsules_capsule c WHERE c.tenant_id = p_tenant AND c.id = one;
        EXIT WHEN one IS NULL;
        RETURN NEXT one;
    END LOOP;
END $$;

-- Hold a capsule, and all that was ever forwarded of it, to the end of the transaction; answers their ids. One
-- generation after the other: who forwards holds what they forward, so that once a generation is held, its children
-- are all there.
CREATE FUNCTION lock_capsules(p_tenant uuid, p_capsule uuid) RETURNS uuid[] LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
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
END $$;

-- The audience as asked for, by id or by slug: `fault` is NULL for an active agent of the tenant named for the first
-- time. Each element has its place in the request.
CREATE FUNCTION resolve_audience(p_tenant uuid, p_audience json) RETURNS TABLE (place text, agent_id uuid, fault text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN QUERY
    SELECT n.place, n.found, CASE WHEN n.found IS NULL THEN 'unknown' WHEN n.times > 1 THEN 'repeated' END FROM (
        SELECT x.place, x.at, g.id AS found, row_number() OVER (PARTITION BY g.id ORDER BY x.at) AS times
        FROM json_to_recordset(p_audience) AS x (place text, at int, id uuid, slug text)
        LEFT JOIN governance_agent s ON s.tenant_id = p_tenant AND s.slug = x.slug
        LEFT JOIN governance_agent g ON g.tenant_id = p_tenant AND g.id = coalesce(x.id, s.id) AND g.is_active
    ) n ORDER BY n.at;
END $$;

-- The items as asked for, with their sensitivity, which is NULL where the author does not find such a memory: what is
-- not there and what they may not see look the same.
CREATE FUNCTION find_items(p_tenant uuid, p_items json, p_listening text[], p_sensitivities text[]) RETURNS TABLE (
    place text, sensitivity text
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN QUERY
    SELECT i.place, CASE i.kind
        WHEN 'chunk' THEN (
            SELECT x.sensitivity FROM memory_effectivechunk x
            WHERE x.tenant_id = p_tenant AND x.id = i.id AND is_seen(x, p_listening, p_sensitivities, false))
        WHEN 'decision' THEN (
            SELECT d.sensitivity FROM memory_effectivedecision d
            WHERE d.tenant_id = p_tenant AND d.id = i.id AND NOT d.is_retracted AND NOT d.is_quarantined
              AND d.sensitivity = ANY (p_sensitivities) AND NOT d.blocked_channels && p_listening)
        WHEN 'artifact' THEN (
            -- its state is that of the chunks of its event
            SELECT a.sensitivity FROM memory_artifact a
            WHERE a.tenant_id = p_tenant AND a.id = i.id AND (
                SELECT bool_and(is_seen(x, p_listening, p_sensitivities, false)) FROM memory_effectivechunk x
                WHERE x.tenant_id = p_tenant AND x.event_id = a.event_id AND x.superseded_by IS NULL)) END
    FROM json_to_recordset(p_items) AS i (place text, at int, kind text, id uuid)
    ORDER BY i.at;
END $$;

-- The rows of a new capsule, with its projection.
CREATE FUNCTION insert_capsule(c capsules_capsule, p_items json, p_audience uuid[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
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
END $$;

-- Record a capsule by whoever hears p_listening, whole, or answer what is wrong with it and where. p_capsule holds its
-- columns, and of note and risks the id and the words.
CREATE FUNCTION record_capsule(
    p_tenant uuid, p_author_kind text, p_author uuid, p_capsule json, p_items json, p_audience json,
    p_listening text[], p_sensitivities text[]
) RETURNS TABLE (place text, fault text, created_at timestamptz, expires_at timestamptz, audience_count int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    c capsules_capsule;
    asked json;
    audience uuid[];
BEGIN
    PERFORM require_tenant(p_tenant);
    c.author := writer_name(p_tenant, p_author_kind, p_author);
    -- 1. All that is wrong, at once.
    SELECT json_agg(f), CASE WHEN bool_or(f.sensitivity = 'high') THEN 'high'
        WHEN bool_or(f.sensitivity = 'low') THEN 'low' ELSE 'none' END
    INTO asked, c.sensitivity FROM find_items(p_tenant, p_items, p_listening, p_sensitivities) f;
    RETURN QUERY
    SELECT f.place, 'unknown', NULL::timestamptz, NULL::timestamptz, NULL::int
    FROM json_to_recordset(asked) AS f (place text, sensitivity text) WHERE f.sensitivity IS NULL
    UNION ALL
    SELECT a.place, a.fault, NULL, NULL, NULL FROM resolve_audience(p_tenant, p_audience) a WHERE a.fault IS NOT NULL;
    IF FOUND THEN RETURN; END IF;
    -- 2. The words, then the record.
    INSERT INTO governance_content (tenant_id, id, salt, body, sha256)
    SELECT p_tenant, w.id, w.salt, w.body, sha256(w.salt || convert_to(w.body, 'UTF8'))
    FROM (SELECT x.id, x.body, uuid_send(gen_random_uuid()) AS salt
          FROM json_to_recordset(p_capsule -> 'words') AS x (id uuid, body text)) w;
    SELECT x.id, x.scope, x.subject_type, x.subject_id, x.project_id, x.ttl_days, x.may_forward, x.note_id, x.risks_id
    INTO c.id, c.scope, c.subject_type, c.subject_id, c.project_id, c.ttl_days, c.may_forward, c.note_id, c.risks_id
    FROM json_to_record(p_capsule) AS x (id uuid, scope text, subject_type text, subject_id text, project_id text,
        ttl_days int, may_forward boolean, note_id uuid, risks_id uuid);
    c.tenant_id := p_tenant; c.author_kind := p_author_kind; c.authored_by := p_author;
    c.created_at := statement_timestamp();
    c.expires_at := c.created_at + make_interval(hours => 24 * c.ttl_days);
    SELECT array_agg(a.agent_id) INTO audience FROM resolve_audience(p_tenant, p_audience) a;
    PERFORM insert_capsule(c, p_items, audience);
    created_at := c.created_at; expires_at := c.expires_at; audience_count := cardinality(audience);
    RETURN NEXT;
END $$;

-- Pass a capsule on, narrowed: to any agents, all its items or some of them, in its own words, never beyond its expiry.
-- Answers why it is refused; or what is wrong, and where; or the new capsule's times.
CREATE FUNCTION forward_capsule(
    p_tenant uuid, p_agent uuid, p_original uuid, p_id uuid, p_items json, p_audience json, p_ttl_days int,
    p_may_forward boolean
) RETURNS TABLE (
    refusal text, place text, fault text, created_at timestamptz, expires_at timestamptz, item_count int,
    audience_count int
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    c capsules_capsule;
    audience uuid[];
    chosen json := p_items;
BEGIN
    PERFORM require_tenant(p_tenant);
    -- 1. Held, so that a revocation waits for this and then finds it, or was first and is found here.
    PERFORM 1 FROM capsules_effectivecapsule x WHERE x.tenant_id = p_tenant AND x.id = p_original FOR SHARE;
    SELECT * INTO c FROM capsules_capsule x WHERE x.tenant_id = p_tenant AND x.id = p_original;
    refusal := capsule_refusal(p_tenant, p_original, 'agent', p_agent);
    IF refusal IS NULL AND NOT EXISTS (
        SELECT 1 FROM capsules_capsuleaudience a
        WHERE a.tenant_id = p_tenant AND a.agent_id = p_agent AND a.capsule_id = p_original
    ) THEN refusal := 'outside'; END IF;  -- its author makes another one instead
    IF refusal IS NULL THEN
        -- an author in its own audience is not turned away above when it is over
        SELECT CASE WHEN x.status <> 'active' THEN x.status WHEN x.expires_at <= statement_timestamp() THEN 'expired'
            WHEN NOT x.may_forward THEN 'not_forwardable' END
        INTO refusal FROM capsules_effectivecapsule x WHERE x.tenant_id = p_tenant AND x.id = p_original;
    END IF;
    IF refusal IS NOT NULL THEN RETURN NEXT; RETURN; END IF;
    -- 2. All that is wrong, at once.
    RETURN QUERY
    SELECT NULL, n.place, 'not_among_them', NULL::timestamptz, NULL::timestamptz, NULL::int, NULL::int
    FROM json_to_recordset(p_items) AS n (place text, kind text, id uuid)
    WHERE NOT EXISTS (
        SELECT 1 FROM capsules_capsuleitem i WHERE i.tenant_id = p_tenant AND i.capsule_id = p_original
          AND i.item_id = n.id AND i.kind = n.kind)
    UNION ALL
    SELECT NULL, a.place, a.fault, NULL, NULL, NULL, NULL FROM resolve_audience(p_tenant, p_audience) a
    WHERE a.fault IS NOT NULL;
    IF FOUND THEN RETURN; END IF;
    -- 3. The record.
    IF p_items IS NULL THEN
        SELECT json_agg(json_build_object('at', i.position, 'kind', i.kind, 'id', i.item_id)) INTO chosen
        FROM capsules_capsuleitem i WHERE i.tenant_id = p_tenant AND i.capsule_id = p_original;
    END IF;
    SELECT array_agg(a.agent_id) INTO audience FROM resolve_audience(p_tenant, p_audience) a;
    c.id := p_id; c.forwards_id := p_original; c.author_kind := 'agent'; c.authored_by := p_agent;
    c.author := writer_name(p_tenant, 'agent', p_agent); c.created_at := statement_timestamp();
    c.may_forward := p_may_forward; c.ttl_days := coalesce(p_ttl_days, c.ttl_days);
    c.expires_at := least(c.expires_at, c.created_at + make_interval(hours => 24 * c.ttl_days));
    PERFORM insert_capsule(c, chosen, audience);
    PERFORM refold_one_capsule(p_tenant, p_id);
    created_at := c.created_at; expires_at := c.expires_at; item_count := json_array_length(chosen);
    audience_count := cardinality(audience);
    RETURN NEXT;
END $$;

-- Revoke a capsule with all that was forwarded of it: by its author, or a person with the admin role. The capsule
-- itself comes first; is_new tells what this call changed. Revoking again answers as the first time did.
CREATE FUNCTION revoke_capsule(p_tenant uuid, p_capsule uuid, p_by_kind text, p_by uuid) RETURNS TABLE (
    refusal text, capsule_id uuid, revoked_at timestamptz, is_new boolean
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    x capsules_effectivecapsule;
    held uuid[];
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT * INTO x FROM capsules_effectivecapsule y WHERE y.tenant_id = p_tenant AND y.id = p_capsule;
    IF NOT FOUND OR x.is_retracted THEN refusal := 'unknown'; RETURN NEXT; RETURN; END IF;
    IF (x.author_kind <> p_by_kind OR x.authored_by <> p_by) AND (p_by_kind <> 'human' OR NOT EXISTS (
        SELECT 1 FROM governance_membership m
        WHERE m.tenant_id = p_tenant AND m.user_id = p_by AND m.is_active AND m.role = 'admin'
    )) THEN refusal := 'not_yours'; RETURN NEXT; RETURN; END IF;
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
END $$;

-- End up to p_limit capsules whose time is over, the oldest first; rows that another worker holds are passed over.
CREATE FUNCTION expire_capsules(p_tenant uuid, p_limit int) RETURNS TABLE (capsule_id uuid, expires_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    UPDATE capsules_effectivecapsule x SET status = 'expired', expired_at = statement_timestamp()
    WHERE x.tenant_id = p_tenant AND x.id = ANY (ARRAY(
        SELECT y.id FROM capsules_effectivecapsule y
        WHERE y.tenant_id = p_tenant AND y.status = 'active' AND y.expires_at <= statement_timestamp()
        ORDER BY y.expires_at LIMIT p_limit FOR UPDATE SKIP LOCKED))
    RETURNING x.id, x.expires_at;
END $$;

-- Note that the authors of up to p_limit capsules that expire within p_within are warned; answers those.
CREATE FUNCTION warn_capsules(p_tenant uuid, p_within interval, p_limit int) RETURNS TABLE (
    capsule_id uuid, expires_at timestamptz
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    UPDATE capsules_effectivecapsule x SET warned_at = statement_timestamp()
    WHERE x.tenant_id = p_tenant AND x.id = ANY (ARRAY(
        SELECT y.id FROM capsules_effectivecapsule y
        WHERE y.tenant_id = p_tenant AND y.status = 'active' AND y.warned_at IS NULL AND NOT y.is_retracted
          AND y.expires_at > statement_timestamp() AND y.expires_at <= statement_timestamp() + p_within
        ORDER BY y.expires_at LIMIT p_limit FOR UPDATE SKIP LOCKED))
    RETURNING x.id, x.expires_at;
END $$;

SELECT governance_hand_to_gate(ARRAY[
    'capsule_refusal(uuid,uuid,text,uuid)', 'capsule_origins(uuid,uuid)', 'lock_capsules(uuid,uuid)',
    'resolve_audience(uuid,json)', 'find_items(uuid,json,text[],text[])', 'insert_capsule(capsules_capsule,json,uuid[])',
    'record_capsule(uuid,text,uuid,json,json,json,text[],text[])',
    'forward_capsule(uuid,uuid,uuid,uuid,json,json,int,boolean)', 'revoke_capsule(uuid,uuid,text,uuid)',
    'expire_capsules(uuid,int)', 'warn_capsules(uuid,interval,int)'
]::regprocedure[]);
SET ROLE suture_gate;
GRANT EXECUTE ON FUNCTION record_capsule(uuid,text,uuid,json,json,json,text[],text[]),
    forward_capsule(uuid,uuid,uuid,uuid,json,json,int,boolean), revoke_capsule(uuid,uuid,text,uuid),
    expire_capsules(uuid,int), warn_capsules(uuid,interval,int) TO suture_app;
RESET ROLE;
