-- executable by: suture_app
-- Record a part of a version of a file, which the actor has locked (match_file_part): p_part has the common properties
-- of the chunks, p_chunks is a JSON array with the position of each chunk, and either `kept` or its own text. New
-- chunks must be hidden until the version is current, in the same transaction (hide_staged, finish_file_version).
-- Returns the quarantines of chunks that repeat retracted text.
CREATE OR REPLACE FUNCTION record_file_part(p_tenant uuid, p_part json, p_chunks json)
RETURNS TABLE (edit_id uuid, chunk_id uuid, retracted_by uuid, patch_sha256 bytea)
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting_writer(p_tenant);
    m record;
    level text;
    v_audience int[];
    made uuid[];
BEGIN
    SELECT * INTO m FROM json_to_record(p_part) AS j (version_id uuid, session_id text, file_path text, total_chunks int,
        channel text, sensitivity text, retention text, importance numeric, tags text[], scope text, subject_type text,
        subject_id text, project_id text, ts timestamptz, compute_embedding boolean, audience text[]);
    SELECT coalesce(m.sensitivity, t.default_sensitivities ->> m.channel, 'none') INTO level
    FROM governance_tenant t WHERE t.id = p_tenant;
    IF EXISTS (SELECT FROM memory_fileversion v WHERE v.tenant_id = p_tenant AND v.id = m.version_id) THEN
        RAISE EXCEPTION 'this version of the file is complete' USING ERRCODE = 'SU409', CONSTRAINT = 'file_version_open';
    END IF;
    IF EXISTS (SELECT FROM json_to_recordset(p_chunks) AS x (kept uuid) WHERE x.kept IS NOT NULL AND NOT EXISTS (
        SELECT FROM chunk_of(p_tenant, x.kept) k WHERE k.source = 'file' AND k.recorded_by = me.id)) THEN
        RAISE EXCEPTION 'a version can keep only chunks of its own file' USING ERRCODE = 'SU403';
    END IF;
    IF m.audience IS NOT NULL OR has_audience_rules(p_tenant) THEN
        v_audience := audience_for(p_tenant, m.audience, m.subject_type, m.subject_id, m.tags, 'file');
    END IF;
    INSERT INTO governance_content (tenant_id, id, salt, body, sha256)
    SELECT p_tenant, c.id, c.salt, c.body, sha256(c.salt || convert_to(c.body, 'UTF8'))
    FROM (SELECT x.content_id AS id, x.body, uuid_send(gen_random_uuid()) AS salt
          FROM json_to_recordset(p_chunks) AS x (content_id uuid, body text, kept uuid) WHERE x.kept IS NULL) c;
    WITH chunk AS (
        INSERT INTO memory_chunk (tenant_id, id, source, content_id, chunk_index, total_chunks, importance, tags,
            recorder_kind, recorded_by, recorder, scope, subject_type, subject_id, project_id, session_id, channel,
            sensitivity, ts, retention, audience)
        SELECT p_tenant, x.id, 'file', x.content_id, x.chunk_index, m.total_chunks, m.importance, m.tags, me.kind,
            me.id, me.name, m.scope, m.subject_type, m.subject_id, m.project_id, m.session_id, m.channel, level, m.ts,
            m.retention, v_audience
        FROM json_to_recordset(p_chunks) AS x (id uuid, content_id uuid, chunk_index int, kept uuid)
        WHERE x.kept IS NULL
        RETURNING id)
    SELECT coalesce(array_agg(c.id), '{}') INTO made FROM chunk c;
    INSERT INTO memory_capture (tenant_id, id, session_id, source, file_path, word_offset)
    SELECT p_tenant, x.id, m.session_id, 'MDFileChunk', m.file_path, x.word_offset
    FROM json_to_recordset(p_chunks) AS x (id uuid, word_offset int, kept uuid) WHERE x.kept IS NULL;
    INSERT INTO memory_fileplacement (tenant_id, id, version_id, chunk_id, chunk_index, word_offset, text_start, text_end)
    SELECT p_tenant, new_id(), m.version_id, coalesce(x.kept, x.id), x.chunk_index, x.word_offset, x.text_start, x.text_end
    FROM json_to_recordset(p_chunks) AS x (id uuid, kept uuid, chunk_index int, word_offset int, text_start int,
        text_end int);
    PERFORM project_chunks(p_tenant, made);
    IF m.compute_embedding IS FALSE THEN
        PERFORM queue_embeddings(p_tenant, (
            SELECT json_agg(json_build_object('id', i, 'compute_embedding', false)) FROM unnest(made) i));
    END IF;
    RETURN QUERY SELECT * FROM quarantine_removed_values(p_tenant, made);
END $$;
