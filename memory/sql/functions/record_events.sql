-- executable by: suture_app
-- Record one event or a thousand, with words, chunks, projections and typed records, or record nothing. Each argument
-- is a JSON array of objects whose keys are the columns; NULL if there are none. Chunks and typed records name their
-- event and inherit its scope, subject, project, session, channel, sensitivity, audience and time; chunks inherit its retention
-- too. An event without a sensitivity gets the tenant's for its channel. A decision that the policy puts in force only
-- after approval is held (hold_decisions). Returns the edits that quarantined what a retract had
-- removed, and without an edit the chunks that are held because they quote what their recorder had received
-- (link_recorded).
CREATE OR REPLACE FUNCTION record_events(
    p_tenant uuid, p_contents json, p_events json, p_chunks json,
    p_decisions json, p_tasks json, p_artifacts json
) RETURNS TABLE (edit_id uuid, chunk_id uuid, retracted_by uuid, patch_sha256 bytea) LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting_writer(p_tenant);
    recorded timestamptz := clock_timestamp();
    levels jsonb;
    has_rules boolean := has_audience_rules(p_tenant);
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
        recorded_by, recorder, recorded_at, retention, audience)
    SELECT p_tenant, x.id, x.session_id, x.channel, x.actor_type, x.actor_id, x.kind,
        coalesce(x.sensitivity, levels ->> x.channel, 'none'), x.scope, x.subject_type, x.subject_id, x.project_id,
        x.ts, x.tags, x.refs, x.redacted, x.content_id, x.fields_id, me.kind, me.id, me.name, recorded, x.retention,
        CASE WHEN has_rules OR x.audience IS NOT NULL
            THEN audience_for(p_tenant, x.audience, x.subject_type, x.subject_id, x.tags, x.kind) END
    FROM json_to_recordset(p_events) AS x (id uuid, session_id text, channel text, actor_type text, actor_id text,
        kind text, sensitivity text, scope text, subject_type text, subject_id text, project_id text, ts timestamptz,
        tags text[], refs text[], redacted text[], content_id uuid, fields_id uuid, retention text, audience text[]);

    IF p_chunks IS NOT NULL THEN
        WITH chunk AS (
            INSERT INTO memory_chunk (tenant_id, id, event_id, source, content_id, span_start, span_end, chunk_index,
                total_chunks, importance, tags, recorder_kind, recorded_by, recorder, scope, subject_type, subject_id,
                project_id, session_id, channel, sensitivity, ts, retention, audience)
            SELECT p_tenant, x.id, e.id, coalesce(x.source, 'event'), x.content_id, x.span_start, x.span_end, x.chunk_index,
                x.total_chunks, x.importance, e.tags, me.kind, me.id, me.name, e.scope, e.subject_type,
                e.subject_id, e.project_id, e.session_id, e.channel, e.sensitivity, e.ts, e.retention, e.audience
            FROM json_to_recordset(p_chunks) AS x (id uuid, event_id uuid, content_id uuid, span_start int,
                span_end int, chunk_index int, total_chunks int, importance numeric, source text)
            CROSS JOIN LATERAL event_of(p_tenant, x.event_id) e
            RETURNING id)
        SELECT array_agg(id) INTO made FROM chunk;
        PERFORM project_chunks(p_tenant, made, (
            SELECT jsonb_object_agg(x.id, x.key) FROM json_to_recordset(p_chunks) AS x (id uuid, key text)
            WHERE x.key IS NOT NULL));
        PERFORM queue_embeddings(p_tenant, p_chunks);
    END IF;

    IF p_decisions IS NOT NULL THEN
        WITH decision AS (
            INSERT INTO memory_decision (tenant_id, id, event_id, content_id, details_id, supersedes_id, scope,
                subject_type, subject_id, project_id, session_id, channel, sensitivity, ts, audience)
            SELECT p_tenant, x.id, e.id, x.content_id, x.details_id, x.supersedes, e.scope, e.subject_type,
                e.subject_id, e.project_id, e.session_id, e.channel, e.sensitivity, e.ts, e.audience
            FROM json_to_recordset(p_decisions) AS x (id uuid, event_id uuid, content_id uuid, details_id uuid,
                supersedes uuid)
            CROSS JOIN LATERAL event_of(p_tenant, x.event_id) e
            RETURNING *)
        INSERT INTO memory_effectivedecision (tenant_id, id, event_id, content_id, details_id, importance, status,
            is_retracted, is_quarantined, blocked_channels, edits_applied, scope, subject_type, subject_id, project_id,
            session_id, channel, sensitivity, ts, audience)
        SELECT p_tenant, d.id, d.event_id, d.content_id, d.details_id, 1, 'active', false, false, '{}', 0, d.scope,
            d.subject_type, d.subject_id, d.project_id, d.session_id, d.channel, d.sensitivity, d.ts,
            d.audience
        FROM decision d;
        UPDATE memory_effectivedecision old SET status = 'superseded'
        FROM json_to_recordset(p_decisions) AS x (supersedes uuid)
        WHERE old.tenant_id = p_tenant AND old.id = x.supersedes;
        PERFORM hold_decisions(p_tenant, ARRAY(SELECT x.id FROM json_to_recordset(p_decisions) AS x (id uuid)));
    END IF;

    IF p_tasks IS NOT NULL THEN
        WITH task_update AS (
            INSERT INTO memory_task (tenant_id, id, task_id, event_id, status, content_id, details_id, scope,
                subject_type, subject_id, project_id, session_id, channel, sensitivity, ts, audience)
            SELECT p_tenant, x.id, x.task_id, e.id, x.status, x.content_id, x.details_id, e.scope, e.subject_type,
                e.subject_id, e.project_id, e.session_id, e.channel, e.sensitivity, e.ts, e.audience
            FROM json_to_recordset(p_tasks) AS x (id uuid, task_id uuid, event_id uuid, status text, content_id uuid,
                details_id uuid)
            CROSS JOIN LATERAL event_of(p_tenant, x.event_id) e
            RETURNING *)
        INSERT INTO memory_effectivetask (tenant_id, id, update_id, event_id, content_id, details_id, status,
            is_retracted, is_quarantined, blocked_channels, edits_applied, scope, subject_type, subject_id, project_id,
            session_id, channel, sensitivity, ts, audience)
        SELECT DISTINCT ON (t.task_id) p_tenant, t.task_id, t.id, t.event_id, t.content_id, t.details_id, t.status,
            false, false, '{}'::text[], 0, t.scope, t.subject_type, t.subject_id, t.project_id, t.session_id,
            t.channel, t.sensitivity, t.ts, t.audience
        FROM task_update t ORDER BY t.task_id, t.ts DESC, t.id DESC
        ON CONFLICT (tenant_id, id) DO NOTHING;
        FOR task IN SELECT DISTINCT x.task_id FROM json_to_recordset(p_tasks) AS x (task_id uuid) ORDER BY 1 LOOP
            PERFORM refold_task(p_tenant, task);
        END LOOP;
    END IF;

    IF p_artifacts IS NOT NULL THEN
        INSERT INTO memory_artifact (tenant_id, id, event_id, content_id, media_type, scope, subject_type, subject_id,
            project_id, session_id, channel, sensitivity, ts, audience)
        SELECT p_tenant, x.id, e.id, x.content_id, x.media_type, e.scope, e.subject_type, e.subject_id, e.project_id,
            e.session_id, e.channel, e.sensitivity, e.ts, e.audience
        FROM json_to_recordset(p_artifacts) AS x (id uuid, event_id uuid, content_id uuid, media_type text)
        CROSS JOIN LATERAL event_of(p_tenant, x.event_id) e;
    END IF;
    RETURN QUERY SELECT NULL::uuid, h, NULL::uuid, NULL::bytea FROM link_recorded(p_tenant, p_chunks) h;
    RETURN QUERY SELECT * FROM quarantine_removed_values(p_tenant, made);
END $$;
