-- executable by: suture_app
-- Record a summary: chunks without an event, which have a scope of their own. A summary without a sensitivity gets the
-- tenant's for its channel; it is at least as sensitive as memory that its author received in the session, which it may
-- repeat; so is its audience.
CREATE OR REPLACE FUNCTION record_summary(
    p_tenant uuid, p_contents json, p_chunks json
) RETURNS TABLE (edit_id uuid, chunk_id uuid, retracted_by uuid, patch_sha256 bytea) LANGUAGE plpgsql SECURITY DEFINER AS $$
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
            sensitivity, ts, retention, audience)
        SELECT p_tenant, x.id, 'summary', x.content_id, 0, 1, x.importance, x.tags, me.kind, me.id,
            me.name, x.scope, x.subject_type, x.subject_id, x.project_id, x.session_id, x.channel,
            more_sensitive(coalesce(x.sensitivity, levels ->> x.channel, 'none'),
                sensitivity_given(p_tenant, x.session_id)),
            x.ts, x.retention,
            both_audiences(audience_for(p_tenant, x.audience, x.subject_type, x.subject_id, x.tags, 'summary'),
                audience_given(p_tenant, x.session_id))
        FROM json_to_recordset(p_chunks) AS x (id uuid, content_id uuid, importance numeric, tags text[], scope text,
            subject_type text, subject_id text, project_id text, session_id text, channel text, sensitivity text,
            ts timestamptz, retention text, audience text[])
        RETURNING id)
    SELECT array_agg(id) INTO made FROM chunk;
    PERFORM project_chunks(p_tenant, made);
    PERFORM queue_embeddings(p_tenant, p_chunks);
    RETURN QUERY SELECT * FROM quarantine_removed_values(p_tenant, made);
END $$;
