-- Erasure of memory: what a request names, and what becomes of the projections when the words are gone.

-- Whether the words of a record, as recorded and as they are now, are there. They are until they were lawfully erased.
CREATE FUNCTION has_words(p_tenant uuid, p_recorded uuid, p_effective uuid) RETURNS boolean LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN EXISTS (SELECT 1 FROM governance_content c WHERE c.tenant_id = p_tenant AND c.id = p_recorded)
        AND (p_effective = p_recorded
            OR EXISTS (SELECT 1 FROM governance_content c WHERE c.tenant_id = p_tenant AND c.id = p_effective));
END $$;

CREATE FUNCTION retention_of_chunk(p_tenant uuid, p_chunk uuid) RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN (SELECT k.retention FROM memory_chunk k WHERE k.tenant_id = p_tenant AND k.id = p_chunk);
END $$;

CREATE FUNCTION retention_of_decision(p_tenant uuid, p_decision uuid) RETURNS text LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN (SELECT e.retention FROM memory_decision d
            JOIN memory_event e ON e.tenant_id = p_tenant AND e.id = d.event_id
            WHERE d.tenant_id = p_tenant AND d.id = p_decision);
END $$;

-- What an erasure names of memory (governance/sql/0009), a row for each content row of a record. A chunk is a span of
-- its event's words, so that its whole memory goes with it: the event, all its chunks, its decision, task update or
-- artifact.
CREATE FUNCTION erasable_of_memory(
    p_tenant uuid, p_by text, p_target uuid, p_subject_type text, p_subject_id text
) RETURNS TABLE (kind text, record_id uuid, content_id uuid, retention text) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
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
        WHEN 'chunk' THEN k.id = p_target
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
END $$;

-- Take what was made of the erased words out of the projections. A record whose own words are gone is set out of every
-- answer at once, which is what its fold would come to; only the memories of which an amended text alone was erased are
-- folded anew.
CREATE FUNCTION erase_copies_of_memory(p_tenant uuid, p_erasure uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE memory record;
BEGIN
    PERFORM require_tenant(p_tenant);
    UPDATE memory_effectivechunk x SET is_retracted = true, tsv = NULL
    WHERE x.tenant_id = p_tenant AND x.id IN (
        SELECT i.record_id FROM governance_erasureitem i
        WHERE i.tenant_id = p_tenant AND i.erasure_id = p_erasure AND i.kind = 'chunk');
    -- unsalted digests of the words
    DELETE FROM memory_removedvalue v
    WHERE v.tenant_id = p_tenant AND v.chunk_id IN (
        SELECT i.record_id FROM governance_erasureitem i
        WHERE i.tenant_id = p_tenant AND i.erasure_id = p_erasure AND i.kind = 'chunk');
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
        PERFORM refold_memory(p_tenant, memory.event_id, memory.chunk_id);
    END LOOP;
END $$;

SELECT governance_hand_to_gate(ARRAY[
    'has_words(uuid,uuid,uuid)', 'retention_of_chunk(uuid,uuid)', 'retention_of_decision(uuid,uuid)',
    'erasable_of_memory(uuid,text,uuid,text,text)', 'erase_copies_of_memory(uuid,uuid)'
]::regprocedure[]);

GRANT CREATE ON SCHEMA public TO suture_gate;  -- CREATE OR REPLACE asks it of the functions' owner
SET ROLE suture_gate;
-- Give recorded chunks their projection row, as yet unedited; one without words where they were erased.
CREATE OR REPLACE FUNCTION project_chunks(p_tenant uuid, p_chunks uuid[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO memory_effectivechunk (tenant_id, id, event_id, source, chunk_index, tier, importance, content_id,
        span_start, span_end, recorded_by, recorder, scope, subject_type, subject_id, project_id, session_id, channel,
        sensitivity, ts, is_retracted, is_quarantined, blocked_channels, edits_applied, tsv)
    SELECT p_tenant, k.id, k.event_id, k.source, k.chunk_index, 'task', k.importance, k.content_id, k.span_start,
        k.span_end, k.recorded_by, k.recorder, k.scope, k.subject_type, k.subject_id, k.project_id, k.session_id,
        k.channel, k.sensitivity, k.ts, false, false, '{}', 0,
        text_vector(span_of(c.body, k.span_start, k.span_end))
    FROM memory_chunk k LEFT JOIN governance_content c ON c.tenant_id = p_tenant AND c.id = k.content_id
    WHERE k.tenant_id = p_tenant AND k.id = ANY (p_chunks);
END $$;

-- The chunks of one memory as readers shall see them, were the edits of p_also cancelled besides. One whose own words
-- or whose amended text was erased is in no answer, like a retracted one. Neighbouring chunks of a long text overlap by
-- some words, so a chunk beside an edited one gives up the overlap: it would still say what was corrected.
CREATE OR REPLACE FUNCTION fold_memory(p_tenant uuid, p_event uuid, p_chunk uuid, p_also uuid[]) RETURNS TABLE (
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
        SELECT * INTO f FROM fold_edits(p_tenant, k.id, twins, k.importance, NULL, p_also);
        chunk_id := k.id; is_quarantined := f.is_quarantined; blocked_channels := f.blocked_channels;
        importance := f.importance; edits_applied := f.edits_applied; superseded_by := NULL;
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
                FROM memory_chunk c, fold_edits(p_tenant, c.id, twins, c.importance, NULL, p_also) g
                WHERE c.tenant_id = p_tenant AND c.event_id = p_event AND c.chunk_index = k.chunk_index + 1;
                IF next_edited THEN span_end := least(k.span_end, next_start); END IF;
                next_edited := false;
                IF span_start >= span_end THEN  -- nothing of its own is left
                    superseded_by := k.id; span_start := k.span_start; span_end := k.span_end;
                END IF;
            END IF;
        END IF;
        is_retracted := f.is_retracted OR NOT has_words(p_tenant, k.content_id, content_id);
        previous_end := CASE
            WHEN f.is_retracted OR f.is_quarantined OR f.blocked_channels <> '{}' OR f.content_id IS NOT NULL
            THEN k.span_end END;
        RETURN NEXT;
    END LOOP;
END $$;

-- The state of one decision, were the edits of p_also cancelled besides. What superseded it counts only while that is
-- not retracted itself.
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
        WHERE later.tenant_id = p_tenant AND later.supersedes_id = p_decision
          -- its words erased, a successor is one still: what it replaced is not in force again
          AND (NOT x.is_retracted OR NOT has_words(p_tenant, later.content_id, x.content_id) AND NOT (
              SELECT g.is_retracted FROM fold_edits(p_tenant, later.id, (
                  SELECT coalesce(array_agg(c.id), '{}') FROM memory_chunk c
                  WHERE c.tenant_id = p_tenant AND c.event_id = later.event_id), 1, NULL, p_also) g))
    ) THEN status := 'superseded'; END IF;
END $$;

-- The state of one task: its newest update whose memory is not retracted. Were its words erased, the task is in no
-- answer until it is updated again: the update before it would say what is over.
CREATE OR REPLACE FUNCTION fold_task(
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
            is_retracted := f.is_retracted OR NOT has_words(p_tenant, u.content_id, content_id);
            is_quarantined := f.is_quarantined;
            blocked_channels := f.blocked_channels; edits_applied := f.edits_applied;
        END IF;
        EXIT WHEN NOT f.is_retracted;
    END LOOP;
END $$;

-- Every row of the projection that is not what the record makes of it. Memories without an approved edit are compared
-- as sets; only edited and erased ones are folded.
CREATE OR REPLACE FUNCTION effective_drift(p_tenant uuid) RETURNS TABLE (kind text, id uuid, problem text) LANGUAGE plpgsql STABLE
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
        UNION  -- what was erased folds to another row than what was recorded
        SELECT c.event_id, CASE WHEN c.event_id IS NULL THEN c.id END FROM governance_erasureitem i
        JOIN memory_chunk c ON c.tenant_id = p_tenant AND c.id = i.record_id
        WHERE i.tenant_id = p_tenant AND i.kind = 'chunk'
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

-- Events by id with what may be said of them. `withheld` names why there are no words; an edited memory answers with
-- its effective text and no other content field, since those may repeat what was corrected.
CREATE OR REPLACE FUNCTION get_events(
    p_tenant uuid, p_ids uuid[], p_listening text[], p_sensitivities text[], p_include_quarantined boolean
) RETURNS TABLE (event_id uuid, withheld text, text text, fields text, is_amended boolean, edits_applied int)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    WITH state AS (
        SELECT e.id, e.sensitivity, e.content_id, e.fields_id, coalesce(m.retracted, false) AS retracted,
            coalesce(m.blocked, false) AS blocked, coalesce(m.quarantined, false) AS quarantined,
            coalesce(m.amended, false) AS amended, coalesce(m.edits, 0) AS edits,
            coalesce(m.erased, false) AS erased
        FROM memory_event e LEFT JOIN LATERAL (
            SELECT bool_or(x.is_retracted) AS retracted, bool_or(x.blocked_channels && p_listening) AS blocked,
                bool_or(x.is_quarantined) AS quarantined, bool_or(x.content_id <> k.content_id) AS amended,
                sum(x.edits_applied)::int AS edits, bool_or(c.id IS NULL) AS erased
            FROM memory_effectivechunk x JOIN memory_chunk k ON k.tenant_id = v_tenant AND k.id = x.id
            LEFT JOIN governance_content c ON c.tenant_id = v_tenant AND c.id = x.content_id
            WHERE x.tenant_id = v_tenant AND x.event_id = e.id
        ) m ON true
        WHERE e.tenant_id = v_tenant AND e.id = ANY (p_ids)
    ), seen AS (
        SELECT s.*, t.body AS text, f.body AS fields, CASE
            WHEN s.erased OR s.content_id IS NOT NULL AND t.id IS NULL OR s.fields_id IS NOT NULL AND f.id IS NULL
                THEN 'erased'
            WHEN s.retracted THEN 'retracted'
            WHEN NOT s.sensitivity = ANY (p_sensitivities) THEN 'sensitivity'
            WHEN s.blocked THEN 'blocked'
            WHEN s.quarantined AND NOT p_include_quarantined THEN 'quarantined' END AS why
        FROM state s
        LEFT JOIN governance_content t ON t.tenant_id = v_tenant AND t.id = s.content_id
        LEFT JOIN governance_content f ON f.tenant_id = v_tenant AND f.id = s.fields_id
    )
    SELECT s.id, s.why,
        CASE WHEN s.why IS NOT NULL THEN NULL
             WHEN s.amended THEN amended_text(v_tenant, s.id)
             ELSE s.text END,
        CASE WHEN s.why IS NULL AND NOT s.amended THEN s.fields END,
        s.amended, s.edits
    FROM seen s;
END $$;
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM suture_gate;
