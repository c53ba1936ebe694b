-- The fold: what the approved edits of a memory make of its records, and the projection brought to it.
-- One memory is one event with all that was made from it, or one chunk without an event.

-- The chunks of one memory as readers shall see them. Neighbouring chunks of a long text overlap by some words, so
-- a chunk beside an edited one gives up the overlap: it would still say what was corrected.
CREATE FUNCTION fold_memory(p_tenant uuid, p_event uuid, p_chunk uuid) RETURNS TABLE (
    chunk_id uuid, is_retracted boolean, is_quarantined boolean, blocked_channels text[], content_id uuid,
    span_start int, span_end int, importance numeric, superseded_by uuid, edits_applied int
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    k memory_chunk;
    f record;
    twins uuid[];
    said uuid[] := '{}';    -- the amended texts so far, and by which chunk
    said_by uuid[] := '{}';
    previous_end int;       -- where the edited chunk before this one ended in the original text
    next_start int;
    next_edited boolean;
BEGIN
    SELECT coalesce(array_agg(d.id), '{}') INTO twins FROM memory_decision d
    WHERE d.tenant_id = p_tenant AND d.event_id = p_event;
    FOR k IN
        SELECT * FROM memory_chunk c
        WHERE c.tenant_id = p_tenant AND (c.event_id = p_event OR p_event IS NULL AND c.id = p_chunk)
        ORDER BY c.chunk_index
    LOOP
        SELECT * INTO f FROM fold_edits(p_tenant, k.id, twins, k.importance, NULL);
        chunk_id := k.id; is_retracted := f.is_retracted; is_quarantined := f.is_quarantined;
        blocked_channels := f.blocked_channels; importance := f.importance; edits_applied := f.edits_applied;
        superseded_by := NULL;
        IF f.content_id IS NOT NULL THEN
            content_id := f.content_id; span_start := NULL; span_end := NULL;
            -- an amended decision gives its text to one chunk of its memory, not to each
            superseded_by := said_by[array_position(said, f.content_id)];
            said := said || f.content_id;
            said_by := said_by || k.id;
        ELSE
            content_id := k.content_id; span_start := k.span_start; span_end := k.span_end;
            IF k.total_chunks > 1 AND NOT (f.is_retracted OR f.is_quarantined OR f.blocked_channels <> '{}') THEN
                span_start := greatest(k.span_start, previous_end);
                SELECT c.span_start, g.is_retracted OR g.is_quarantined OR g.blocked_channels <> '{}'
                       OR g.content_id IS NOT NULL
                INTO next_start, next_edited
                FROM memory_chunk c, fold_edits(p_tenant, c.id, twins, c.importance, NULL) g
                WHERE c.tenant_id = p_tenant AND c.event_id = p_event AND c.chunk_index = k.chunk_index + 1;
                IF next_edited THEN span_end := least(k.span_end, next_start); END IF;
                next_edited := false;
                IF span_start >= span_end THEN  -- nothing of its own is left
                    superseded_by := k.id; span_start := k.span_start; span_end := k.span_end;
                END IF;
            END IF;
        END IF;
        previous_end := CASE
            WHEN f.is_retracted OR f.is_quarantined OR f.blocked_channels <> '{}' OR f.content_id IS NOT NULL
            THEN k.span_end END;
        RETURN NEXT;
    END LOOP;
END $$;

-- The state of one decision. What superseded it counts only while that is not retracted itself.
CREATE FUNCTION fold_decision(
    p_tenant uuid, p_decision uuid,
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
        WHERE c.tenant_id = p_tenant AND c.event_id = d.event_id), 1, NULL);
    is_retracted := f.is_retracted; is_quarantined := f.is_quarantined; blocked_channels := f.blocked_channels;
    importance := f.importance; edits_applied := f.edits_applied;
    content_id := coalesce(f.content_id, d.content_id);
    -- rationale and alternatives may repeat what was corrected
    details_id := CASE WHEN f.content_id IS NULL THEN d.details_id END;
    status := 'active';
    IF EXISTS (
        SELECT 1 FROM memory_decision later JOIN memory_effectivedecision x
            ON x.tenant_id = p_tenant AND x.id = later.id AND NOT x.is_retracted
        WHERE later.tenant_id = p_tenant AND later.supersedes_id = p_decision
    ) THEN status := 'superseded'; END IF;
END $$;

-- The state of one task: its newest update whose memory is not retracted.
CREATE FUNCTION fold_task(
    p_tenant uuid, p_task uuid,
    OUT update_id uuid, OUT event_id uuid, OUT content_id uuid, OUT details_id uuid, OUT status text, OUT ts timestamptz,
    OUT is_retracted boolean, OUT is_quarantined boolean, OUT blocked_channels text[], OUT edits_applied int
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    u memory_task;
    f record;
BEGIN
    FOR u IN
        SELECT * FROM memory_task x WHERE x.tenant_id = p_tenant AND x.task_id = p_task ORDER BY x.ts DESC, x.id DESC
    LOOP
        SELECT * INTO f FROM fold_edits(p_tenant, u.id, (
            SELECT coalesce(array_agg(c.id), '{}') FROM memory_chunk c
            WHERE c.tenant_id = p_tenant AND c.event_id = u.event_id), 1, NULL);
        IF update_id IS NULL OR NOT f.is_retracted THEN
            update_id := u.id; event_id := u.event_id; status := u.status; ts := u.ts;
            content_id := coalesce(f.content_id, u.content_id);
            details_id := CASE WHEN f.content_id IS NULL THEN u.details_id END;
            is_retracted := f.is_retracted; is_quarantined := f.is_quarantined;
            blocked_channels := f.blocked_channels; edits_applied := f.edits_applied;
        END IF;
        EXIT WHEN NOT f.is_retracted;
    END LOOP;
END $$;

CREATE FUNCTION refold_task(p_tenant uuid, p_task uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM 1 FROM memory_effectivetask t WHERE t.tenant_id = p_tenant AND t.id = p_task FOR UPDATE;
    UPDATE memory_effectivetask t SET update_id = f.update_id, event_id = f.event_id, content_id = f.content_id,
        details_id = f.details_id, status = f.status, ts = f.ts, is_retracted = f.is_retracted,
        is_quarantined = f.is_quarantined, blocked_channels = f.blocked_channels, edits_applied = f.edits_applied,
        -- who may hear a task is said by the update whose words it shows
        scope = u.scope, subject_type = u.subject_type, subject_id = u.subject_id, project_id = u.project_id,
        session_id = u.session_id, channel = u.channel, sensitivity = u.sensitivity
    FROM fold_task(p_tenant, p_task) f JOIN memory_task u ON u.tenant_id = p_tenant AND u.id = f.update_id
    WHERE t.tenant_id = p_tenant AND t.id = p_task;
END $$;

-- Keep the digests of what is retracted in one memory: of the text as recorded and as it was effective, and of the
-- statement of its decision.
CREATE FUNCTION remember_removed(p_tenant uuid, p_event uuid, p_chunk uuid) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    DELETE FROM memory_removedvalue v USING memory_chunk k
    WHERE v.tenant_id = p_tenant AND k.tenant_id = p_tenant AND v.chunk_id = k.id
      AND (k.event_id = p_event OR p_event IS NULL AND k.id = p_chunk);
    INSERT INTO memory_removedvalue (tenant_id, id, chunk_id, edit_id, subject_type, subject_id, digest)
    SELECT p_tenant, new_id(), s.id, s.edit_id, s.subject_type, s.subject_id, s.digest FROM (
        SELECT DISTINCT x.id, r.edit_id, x.subject_type, x.subject_id, normal_digest(t.body) AS digest
        FROM memory_effectivechunk x
        JOIN memory_chunk k ON k.tenant_id = p_tenant AND k.id = x.id
        CROSS JOIN LATERAL (
            SELECT span_of(c.body, k.span_start, k.span_end) AS body FROM governance_content c
            WHERE c.tenant_id = p_tenant AND c.id = k.content_id
            UNION ALL
            SELECT span_of(c.body, x.span_start, x.span_end) FROM governance_content c
            WHERE c.tenant_id = p_tenant AND c.id = x.content_id
            UNION ALL
            SELECT c.body FROM memory_decision d JOIN governance_content c
                ON c.tenant_id = p_tenant AND c.id = d.content_id
            WHERE d.tenant_id = p_tenant AND d.event_id = x.event_id
        ) t
        CROSS JOIN LATERAL (
            SELECT e.id AS edit_id FROM governance_edit e JOIN governance_editstate s
                ON s.tenant_id = p_tenant AND s.edit_id = e.id AND s.status = 'approved'
            WHERE e.tenant_id = p_tenant AND e.op = 'retract' AND (e.target_id = x.id OR e.target_id IN (
                SELECT d.id FROM memory_decision d WHERE d.tenant_id = p_tenant AND d.event_id = x.event_id))
            ORDER BY s.applied_at DESC LIMIT 1
        ) r
        WHERE x.tenant_id = p_tenant AND x.is_retracted
          AND (x.event_id = p_event OR p_event IS NULL AND x.id = p_chunk)
    ) s;
END $$;

-- Bring the projection of one memory to its fold. Two approvals at once on one memory: the second waits at the lock,
-- and its fold, a statement of its own, sees what the first committed.
CREATE FUNCTION refold_memory(p_tenant uuid, p_event uuid, p_chunk uuid) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    d record;
    task uuid;
BEGIN
    PERFORM lock_memory(p_tenant, p_event, p_chunk);
    UPDATE memory_effectivechunk x SET is_retracted = f.is_retracted, is_quarantined = f.is_quarantined,
        blocked_channels = f.blocked_channels, content_id = f.content_id, span_start = f.span_start,
        span_end = f.span_end, importance = f.importance, superseded_by = f.superseded_by,
        edits_applied = f.edits_applied,
        tsv = CASE WHEN NOT f.is_retracted THEN text_vector(span_of(c.body, f.span_start, f.span_end)) END
    FROM fold_memory(p_tenant, p_event, p_chunk) f
    LEFT JOIN governance_content c ON c.tenant_id = p_tenant AND c.id = f.content_id
    WHERE x.tenant_id = p_tenant AND x.id = f.chunk_id;
    PERFORM remember_removed(p_tenant, p_event, p_chunk);
    IF p_event IS NULL THEN RETURN; END IF;
    FOR d IN
        SELECT y.id, y.supersedes_id FROM memory_decision y WHERE y.tenant_id = p_tenant AND y.event_id = p_event
        ORDER BY y.id
    LOOP
        PERFORM refold_one_decision(p_tenant, d.id);
        -- a retracted successor gives its predecessor back
        IF d.supersedes_id IS NOT NULL THEN PERFORM refold_one_decision(p_tenant, d.supersedes_id); END IF;
    END LOOP;
    FOR task IN
        SELECT DISTINCT t.task_id FROM memory_task t WHERE t.tenant_id = p_tenant AND t.event_id = p_event ORDER BY 1
    LOOP
        PERFORM refold_task(p_tenant, task);
    END LOOP;
END $$;

CREATE FUNCTION refold_one_decision(p_tenant uuid, p_decision uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM 1 FROM memory_effectivedecision x WHERE x.tenant_id = p_tenant AND x.id = p_decision FOR UPDATE;
    UPDATE memory_effectivedecision x SET is_retracted = f.is_retracted, is_quarantined = f.is_quarantined,
        blocked_channels = f.blocked_channels, content_id = f.content_id, details_id = f.details_id,
        importance = f.importance, edits_applied = f.edits_applied, status = f.status
    FROM fold_decision(p_tenant, p_decision) f WHERE x.tenant_id = p_tenant AND x.id = p_decision;
END $$;

-- Hold one memory to the end of the transaction: its chunks, then its decisions, each by id. The one order in which
-- everybody takes these locks, whichever record of the memory is edited.
CREATE FUNCTION lock_memory(p_tenant uuid, p_event uuid, p_chunk uuid) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM 1 FROM memory_effectivechunk x
    WHERE x.tenant_id = p_tenant AND (x.event_id = p_event OR p_event IS NULL AND x.id = p_chunk)
    ORDER BY x.id FOR UPDATE;
    IF p_event IS NOT NULL THEN
        PERFORM 1 FROM memory_effectivedecision x WHERE x.tenant_id = p_tenant AND x.event_id = p_event
        ORDER BY x.id FOR UPDATE;
    END IF;
END $$;

-- What a reviewer saw of a chunk, in one hash: every column that an edit changes. p_lock holds its memory to the end of
-- the transaction.
CREATE FUNCTION state_of_chunk(p_tenant uuid, p_chunk uuid, p_lock boolean) RETURNS text LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
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
END $$;

-- The same of a decision.
CREATE FUNCTION state_of_decision(p_tenant uuid, p_decision uuid, p_lock boolean) RETURNS text LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
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
END $$;

-- What apply_edit calls for a target of type chunk.
CREATE FUNCTION refold_chunk(p_tenant uuid, p_chunk uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE k memory_chunk;
BEGIN
    SELECT * INTO k FROM memory_chunk c WHERE c.tenant_id = p_tenant AND c.id = p_chunk;
    IF NOT FOUND THEN RAISE EXCEPTION 'there is no such chunk' USING ERRCODE = 'SU404'; END IF;
    PERFORM refold_memory(p_tenant, k.event_id, p_chunk);
END $$;

-- What apply_edit calls for a target of type decision.
CREATE FUNCTION refold_decision(p_tenant uuid, p_decision uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE d memory_decision;
BEGIN
    SELECT * INTO d FROM memory_decision x WHERE x.tenant_id = p_tenant AND x.id = p_decision;
    IF NOT FOUND THEN RAISE EXCEPTION 'there is no such decision' USING ERRCODE = 'SU404'; END IF;
    PERFORM refold_memory(p_tenant, d.event_id, NULL);
END $$;

-- Every row of the projection that is not what the record makes of it. Memories without an approved edit are compared
-- as sets; only edited ones are folded.
CREATE FUNCTION effective_drift(p_tenant uuid) RETURNS TABLE (kind text, id uuid, problem text) LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    WITH edited AS (
        SELECT c.event_id, CASE WHEN c.event_id IS NULL THEN c.id END AS chunk_id FROM governance_edit e
        JOIN governance_editstate s ON s.tenant_id = p_tenant AND s.edit_id = e.id AND s.status = 'approved'
        JOIN memory_chunk c ON c.tenant_id = p_tenant AND c.id = e.target_id WHERE e.tenant_id = p_tenant
        UNION
        SELECT d.event_id, NULL FROM governance_edit e
        JOIN governance_editstate s ON s.tenant_id = p_tenant AND s.edit_id = e.id AND s.status = 'approved'
        JOIN memory_decision d ON d.tenant_id = p_tenant AND d.id = e.target_id WHERE e.tenant_id = p_tenant
    ), folded AS (
        SELECT f.* FROM edited u, fold_memory(p_tenant, u.event_id, u.chunk_id) f
    ), expected AS (
        SELECT k.id, coalesce(f.is_retracted, false) AS is_retracted, coalesce(f.is_quarantined, false) AS is_quarantined,
            coalesce(f.blocked_channels, '{}') AS blocked_channels, coalesce(f.content_id, k.content_id) AS content_id,
            CASE WHEN f.chunk_id IS NULL THEN k.span_start ELSE f.span_start END AS span_start,
            CASE WHEN f.chunk_id IS NULL THEN k.span_end ELSE f.span_end END AS span_end,
            coalesce(f.importance, k.importance) AS importance, f.superseded_by, coalesce(f.edits_applied, 0) AS edits,
            k.event_id, k.scope, k.subject_type, k.subject_id, k.project_id, k.session_id, k.channel, k.sensitivity, k.ts
        FROM memory_chunk k LEFT JOIN folded f ON f.chunk_id = k.id WHERE k.tenant_id = p_tenant
    )
    SELECT 'chunk', coalesce(x.id, k.id), CASE
            WHEN x.id IS NULL THEN 'missing'
            WHEN k.id IS NULL THEN 'without a record'
            WHEN (x.event_id, x.scope, x.subject_type, x.subject_id, x.project_id, x.session_id, x.channel,
                  x.sensitivity, x.ts) IS DISTINCT FROM (k.event_id, k.scope, k.subject_type, k.subject_id,
                  k.project_id, k.session_id, k.channel, k.sensitivity, k.ts) THEN 'metadata'
            WHEN (x.is_retracted, x.is_quarantined, x.blocked_channels, x.superseded_by) IS DISTINCT FROM
                 (k.is_retracted, k.is_quarantined, k.blocked_channels, k.superseded_by) THEN 'visibility'
            WHEN (x.content_id, x.span_start, x.span_end) IS DISTINCT FROM
                 (k.content_id, k.span_start, k.span_end) THEN 'text'
            WHEN x.importance <> k.importance THEN 'importance'
            WHEN x.edits_applied <> k.edits THEN 'edits_applied'
            ELSE 'search vector' END
    FROM (SELECT * FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant) x
    FULL JOIN expected k ON k.id = x.id
    LEFT JOIN governance_content c ON c.tenant_id = p_tenant AND c.id = k.content_id
    WHERE (x.event_id, x.scope, x.subject_type, x.subject_id, x.project_id, x.session_id, x.channel, x.sensitivity,
           x.ts, x.is_retracted, x.is_quarantined, x.blocked_channels, x.superseded_by, x.content_id, x.span_start,
           x.span_end, x.importance, x.edits_applied, x.tsv, x.id)
        IS DISTINCT FROM (k.event_id, k.scope, k.subject_type, k.subject_id, k.project_id, k.session_id, k.channel,
           k.sensitivity, k.ts, k.is_retracted, k.is_quarantined, k.blocked_channels, k.superseded_by, k.content_id,
           k.span_start, k.span_end, k.importance, k.edits,
           CASE WHEN NOT k.is_retracted THEN text_vector(span_of(c.body, k.span_start, k.span_end)) END,
           k.id);
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
END $$;

-- Rebuild what effective_drift reports: the row from its record, then its fold.
CREATE FUNCTION repair_effective(p_tenant uuid) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    bad record;
    d memory_decision;
    repaired bigint := 0;
BEGIN
    FOR bad IN SELECT * FROM effective_drift(p_tenant) LOOP
        repaired := repaired + 1;
        CASE bad.kind
            WHEN 'chunk' THEN
                DELETE FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.id = bad.id;
                PERFORM project_chunks(p_tenant, ARRAY[bad.id]);
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
            WHEN 'chunk' THEN PERFORM refold_chunk(p_tenant, bad.id);
            WHEN 'decision' THEN
                PERFORM refold_one_decision(p_tenant, bad.id);
                -- a decision's status follows from its successor's row, which was perhaps missing until now
                SELECT * INTO d FROM memory_decision y WHERE y.tenant_id = p_tenant AND y.id = bad.id;
                IF d.supersedes_id IS NOT NULL THEN PERFORM refold_one_decision(p_tenant, d.supersedes_id); END IF;
            ELSE PERFORM refold_task(p_tenant, bad.id);
        END CASE;
    END LOOP;
    RETURN repaired;
END $$;

SELECT governance_hand_to_gate(ARRAY[
    'fold_memory(uuid,uuid,uuid)', 'fold_decision(uuid,uuid)', 'fold_task(uuid,uuid)', 'refold_task(uuid,uuid)',
    'remember_removed(uuid,uuid,uuid)', 'lock_memory(uuid,uuid,uuid)',
    'refold_memory(uuid,uuid,uuid)', 'refold_one_decision(uuid,uuid)', 'refold_chunk(uuid,uuid)',
    'refold_decision(uuid,uuid)', 'state_of_chunk(uuid,uuid,boolean)', 'state_of_decision(uuid,uuid,boolean)',
    'effective_drift(uuid)', 'repair_effective(uuid)'
]::regprocedure[]);
SET ROLE suture_gate;
GRANT EXECUTE ON FUNCTION state_of_chunk(uuid,uuid,boolean), state_of_decision(uuid,uuid,boolean)
    TO suture_app, suture_review;
GRANT EXECUTE ON FUNCTION effective_drift(uuid), repair_effective(uuid) TO suture_owner;
RESET ROLE;
