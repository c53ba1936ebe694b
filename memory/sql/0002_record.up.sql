-- Recording: the only way in for events, chunks and what derives from them, each with its projection.

SELECT governance_guard_always();

-- The search vector of the effective text. No field of the model: the web's role may not read it. NULL once retracted.
ALTER TABLE memory_effectivechunk ADD COLUMN tsv tsvector;
-- full text within one tenant, whatever the others hold. A small pending list: at the default of 4 MB a search
-- after some thousand inserts scanned it all and took 2.5 times as long (measured).
CREATE INDEX effective_chunk_tsv ON memory_effectivechunk USING gin (tenant_id, tsv)
    WITH (gin_pending_list_limit = 256) WHERE NOT is_retracted AND superseded_by IS NULL;

GRANT SELECT ON memory_event, memory_chunk, memory_effectivechunk, memory_decision, memory_effectivedecision,
    memory_task, memory_effectivetask, memory_artifact, memory_removedvalue TO suture_gate;
GRANT INSERT, DELETE ON memory_removedvalue TO suture_gate;
GRANT INSERT ON memory_event, memory_chunk, memory_decision, memory_task, memory_artifact TO suture_gate;
GRANT INSERT, UPDATE, DELETE ON memory_effectivechunk, memory_effectivedecision, memory_effectivetask TO suture_gate;

-- The text of a chunk: a content row, or a span of one in characters. A span cut where its neighbour was edited begins
-- or ends in a gap between words.
CREATE FUNCTION span_of(body text, span_start int, span_end int) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT CASE WHEN span_start IS NULL THEN body ELSE btrim(substr(body, span_start + 1, span_end - span_start), E' \t\r\n')
    END $$;

-- What search finds a text by. A search vector holds a megabyte; of a text with more words than that (one "word" of a
-- million characters between commas, say) its beginning is found.
CREATE FUNCTION text_vector(p_text text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE taken int := length(p_text);
BEGIN
    IF octet_length(p_text) < 100000 THEN RETURN to_tsvector('english', p_text); END IF;  -- always fits
    LOOP
        BEGIN
            RETURN to_tsvector('english', left(p_text, taken));
        EXCEPTION WHEN program_limit_exceeded THEN
            taken := taken / 2;
        END;
    END LOOP;
END $$;

-- Give recorded chunks their projection row, as yet unedited.
CREATE FUNCTION project_chunks(p_tenant uuid, p_chunks uuid[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO memory_effectivechunk (tenant_id, id, event_id, source, chunk_index, tier, importance, content_id,
        span_start, span_end, recorded_by, recorder, scope, subject_type, subject_id, project_id, session_id, channel,
        sensitivity, ts, is_retracted, is_quarantined, blocked_channels, edits_applied, tsv)
    SELECT p_tenant, k.id, k.event_id, k.source, k.chunk_index, 'task', k.importance, k.content_id, k.span_start,
        k.span_end, k.recorded_by, k.recorder, k.scope, k.subject_type, k.subject_id, k.project_id, k.session_id,
        k.channel, k.sensitivity, k.ts, false, false, '{}', 0,
        text_vector(span_of(c.body, k.span_start, k.span_end))
    FROM memory_chunk k JOIN governance_content c ON c.tenant_id = p_tenant AND c.id = k.content_id
    WHERE k.tenant_id = p_tenant AND k.id = ANY (p_chunks);
END $$;

-- What two texts have in common when they say the same: letters and digits in lower case, single spaces.
CREATE FUNCTION normal_digest(p_text text) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT sha256(convert_to(btrim(regexp_replace(lower(p_text), '[^[:alnum:]]+', ' ', 'g')), 'UTF8'))
$$;

-- Quarantine those of the new chunks that say again what an approved retract removed about the same subject. Each is
-- an edit like any other, by whoever recorded it, applied by the policy, with the retract named as the reason.
CREATE FUNCTION quarantine_removed_values(p_tenant uuid, p_kind text, p_by uuid, p_who text, p_chunks uuid[])
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
            UNION ALL  -- what the event decided, whatever text it came with
            SELECT c.body FROM memory_decision d JOIN governance_content c
                ON c.tenant_id = p_tenant AND c.id = d.content_id
            WHERE d.tenant_id = p_tenant AND d.event_id = k.event_id
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

-- Record one event or a thousand: words, events, chunks with their projection, and the typed records, or nothing.
-- Each argument is a JSON array of objects whose keys are the columns; NULL where there are none. Chunks and typed
-- records name their event and inherit its scope, subject, project, session, channel, sensitivity and time from it.
-- Answers the edits that quarantined what a retract had removed.
CREATE FUNCTION record_events(
    p_tenant uuid, p_recorder_kind text, p_recorded_by uuid, p_contents json, p_events json, p_chunks json,
    p_decisions json, p_tasks json, p_artifacts json
) RETURNS TABLE (edit_id uuid, chunk_id uuid, retracted_by uuid, patch_sha256 bytea) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    who text;
    recorded timestamptz := clock_timestamp();
    made uuid[];
    task uuid;
BEGIN
    PERFORM require_tenant(p_tenant);
    who := writer_name(p_tenant, p_recorder_kind, p_recorded_by);
    INSERT INTO governance_content (tenant_id, id, salt, body, sha256)
    SELECT p_tenant, c.id, c.salt, c.body, sha256(c.salt || convert_to(c.body, 'UTF8'))
    FROM (SELECT x.id, x.body, uuid_send(gen_random_uuid()) AS salt
          FROM json_to_recordset(p_contents) AS x (id uuid, body text)) c;

    INSERT INTO memory_event (tenant_id, id, session_id, channel, actor_type, actor_id, kind, sensitivity, scope,
        subject_type, subject_id, project_id, ts, tags, refs, redacted, content_id, fields_id, recorder_kind,
        recorded_by, recorder, recorded_at)
    SELECT p_tenant, x.id, x.session_id, x.channel, x.actor_type, x.actor_id, x.kind, x.sensitivity, x.scope,
        x.subject_type, x.subject_id, x.project_id, x.ts, x.tags, x.refs, x.redacted, x.content_id, x.fields_id, p_recorder_kind,
        p_recorded_by, who, recorded
    FROM json_to_recordset(p_events) AS x (id uuid, session_id text, channel text, actor_type text, actor_id text,
        kind text, sensitivity text, scope text, subject_type text, subject_id text, project_id text, ts timestamptz,
        tags text[], refs text[], redacted text[], content_id uuid, fields_id uuid);

    IF p_chunks IS NOT NULL THEN
        WITH chunk AS (
            INSERT INTO memory_chunk (tenant_id, id, event_id, source, content_id, span_start, span_end, chunk_index,
                total_chunks, importance, tags, recorder_kind, recorded_by, recorder, scope, subject_type, subject_id,
                project_id, session_id, channel, sensitivity, ts)
            SELECT p_tenant, x.id, e.id, 'event', x.content_id, x.span_start, x.span_end, x.chunk_index,
                x.total_chunks, x.importance, e.tags, p_recorder_kind, p_recorded_by, who, e.scope, e.subject_type,
                e.subject_id, e.project_id, e.session_id, e.channel, e.sensitivity, e.ts
            FROM json_to_recordset(p_chunks) AS x (id uuid, event_id uuid, content_id uuid, span_start int,
                span_end int, chunk_index int, total_chunks int, importance numeric)
            JOIN memory_event e ON e.tenant_id = p_tenant AND e.id = x.event_id
            RETURNING id)
        SELECT array_agg(id) INTO made FROM chunk;
        PERFORM project_chunks(p_tenant, made);
    END IF;

    IF p_decisions IS NOT NULL THEN
        WITH decision AS (
            INSERT INTO memory_decision (tenant_id, id, event_id, content_id, details_id, supersedes_id, scope,
                subject_type, subject_id, project_id, session_id, channel, sensitivity, ts)
            SELECT p_tenant, x.id, e.id, x.content_id, x.details_id, x.supersedes, e.scope, e.subject_type,
                e.subject_id, e.project_id, e.session_id, e.channel, e.sensitivity, e.ts
            FROM json_to_recordset(p_decisions) AS x (id uuid, event_id uuid, content_id uuid, details_id uuid,
                supersedes uuid)
            JOIN memory_event e ON e.tenant_id = p_tenant AND e.id = x.event_id
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
    END IF;

    IF p_tasks IS NOT NULL THEN
        WITH task_update AS (
            INSERT INTO memory_task (tenant_id, id, task_id, event_id, status, content_id, details_id, scope,
                subject_type, subject_id, project_id, session_id, channel, sensitivity, ts)
            SELECT p_tenant, x.id, x.task_id, e.id, x.status, x.content_id, x.details_id, e.scope, e.subject_type,
                e.subject_id, e.project_id, e.session_id, e.channel, e.sensitivity, e.ts
            FROM json_to_recordset(p_tasks) AS x (id uuid, task_id uuid, event_id uuid, status text, content_id uuid,
                details_id uuid)
            JOIN memory_event e ON e.tenant_id = p_tenant AND e.id = x.event_id
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
        JOIN memory_event e ON e.tenant_id = p_tenant AND e.id = x.event_id;
    END IF;
    RETURN QUERY SELECT * FROM quarantine_removed_values(p_tenant, p_recorder_kind, p_recorded_by, who, made);
END $$;

-- Record a summary observation: chunks without an event. Chunks carry their scope themselves.
CREATE FUNCTION record_summary(
    p_tenant uuid, p_recorder_kind text, p_recorded_by uuid, p_contents json, p_chunks json
) RETURNS TABLE (edit_id uuid, chunk_id uuid, retracted_by uuid, patch_sha256 bytea) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    who text;
    made uuid[];
BEGIN
    PERFORM require_tenant(p_tenant);
    who := writer_name(p_tenant, p_recorder_kind, p_recorded_by);
    INSERT INTO governance_content (tenant_id, id, salt, body, sha256)
    SELECT p_tenant, c.id, c.salt, c.body, sha256(c.salt || convert_to(c.body, 'UTF8'))
    FROM (SELECT x.id, x.body, uuid_send(gen_random_uuid()) AS salt
          FROM json_to_recordset(p_contents) AS x (id uuid, body text)) c;
    WITH chunk AS (
        INSERT INTO memory_chunk (tenant_id, id, source, content_id, chunk_index, total_chunks, importance, tags,
            recorder_kind, recorded_by, recorder, scope, subject_type, subject_id, project_id, session_id, channel,
            sensitivity, ts)
        SELECT p_tenant, x.id, 'summary', x.content_id, 0, 1, x.importance, x.tags, p_recorder_kind, p_recorded_by,
            who, x.scope, x.subject_type, x.subject_id, x.project_id, x.session_id, x.channel, x.sensitivity, x.ts
        FROM json_to_recordset(p_chunks) AS x (id uuid, content_id uuid, importance numeric, tags text[], scope text,
            subject_type text, subject_id text, project_id text, session_id text, channel text, sensitivity text,
            ts timestamptz)
        RETURNING id)
    SELECT array_agg(id) INTO made FROM chunk;
    PERFORM project_chunks(p_tenant, made);
    RETURN QUERY SELECT * FROM quarantine_removed_values(p_tenant, p_recorder_kind, p_recorded_by, who, made);
END $$;

SELECT governance_hand_to_gate(ARRAY[
    'span_of(text,int,int)', 'text_vector(text)', 'project_chunks(uuid,uuid[])',
    'normal_digest(text)', 'quarantine_removed_values(uuid,text,uuid,text,uuid[])',
    'record_events(uuid,text,uuid,json,json,json,json,json,json)', 'record_summary(uuid,text,uuid,json,json)'
]::regprocedure[]);
SET ROLE suture_gate;
GRANT EXECUTE ON FUNCTION record_events(uuid,text,uuid,json,json,json,json,json,json),
    record_summary(uuid,text,uuid,json,json) TO suture_app;
GRANT EXECUTE ON FUNCTION span_of(text,int,int) TO suture_review;
RESET ROLE;

-- The web's own rights: the record without its words, the projection without its search vector.
GRANT SELECT ON memory_event, memory_chunk, memory_decision, memory_effectivedecision, memory_task,
    memory_effectivetask, memory_artifact TO suture_app;
GRANT SELECT (tenant_id, id, event_id, source, chunk_index, tier, importance, content_id, span_start, span_end,
    recorded_by, recorder, scope, subject_type, subject_id, project_id, session_id, channel, sensitivity, ts,
    is_retracted, is_quarantined, blocked_channels, superseded_by, edits_applied) ON memory_effectivechunk
    TO suture_app, suture_review;
GRANT SELECT ON memory_event, memory_chunk, memory_decision, memory_effectivedecision, memory_task,
    memory_effectivetask, memory_artifact TO suture_review;
