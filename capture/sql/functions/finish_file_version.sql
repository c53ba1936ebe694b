-- executable by: suture_app
-- Make a version of a file current, whose parts are recorded (record_file_part): this transaction adds its chunks and
-- removes those that only the previous version has. New chunks that share words with removed corrected ones are held
-- (hold_reworded), and chunks beside an edited one give up the words that they share with it. A version that is already
-- current is returned unchanged. p_version: id, session_id, file_path, file_hash, total_chunks, ts.
CREATE OR REPLACE FUNCTION finish_file_version(
    p_tenant uuid, p_version json, OUT number int, OUT added int, OUT kept int, OUT superseded int
) LANGUAGE plpgsql SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    me acting_context := acting_writer(p_tenant);
    m record;
    last memory_fileversion;
    mine uuid[];
    before uuid[];
    come uuid[];
    gone uuid[];
    corrected uuid[];
BEGIN
    SELECT * INTO m FROM json_to_record(p_version) AS j (
        id uuid, session_id text, file_path text, file_hash text, total_chunks int, ts timestamptz);
    PERFORM lock_file(p_tenant, me.id, m.session_id, m.file_path);
    SELECT * INTO last FROM latest_of_file(p_tenant, me.id, m.session_id, m.file_path);
    mine := ARRAY(SELECT p.chunk_id FROM memory_fileplacement p
        WHERE p.tenant_id = p_tenant AND p.version_id = m.id ORDER BY p.chunk_index);
    IF last.id = m.id THEN
        number := last.number; added := 0; kept := cardinality(mine); superseded := 0;
        RETURN;
    END IF;
    IF EXISTS (SELECT FROM memory_fileversion v WHERE v.tenant_id = p_tenant AND v.id = m.id) THEN
        RAISE EXCEPTION 'a later version of the file is current' USING ERRCODE = 'SU409', CONSTRAINT = 'file_version_open';
    END IF;
    IF cardinality(mine) <> m.total_chunks THEN
        RAISE EXCEPTION 'parts of this version are missing: received % of % chunks', cardinality(mine), m.total_chunks
            USING ERRCODE = 'SU409', CONSTRAINT = 'file_version_whole';
    END IF;
    -- 1. What was there: of a file whose chunks were deleted, what it had last.
    before := ARRAY(SELECT p.chunk_id FROM memory_fileplacement p
        WHERE p.tenant_id = p_tenant AND p.version_id = (
            SELECT v.placed_by FROM memory_fileversion v
            WHERE v.tenant_id = p_tenant AND v.recorded_by = me.id AND v.session_id = m.session_id
              AND v.file_path = m.file_path AND v.placed_by IS NOT NULL
            ORDER BY v.number DESC LIMIT 1));
    come := ARRAY(SELECT unnest(mine) EXCEPT SELECT unnest(before));
    gone := ARRAY(SELECT unnest(before) EXCEPT SELECT unnest(mine));
    INSERT INTO memory_fileversion (tenant_id, id, session_id, file_path, number, change, file_hash, total_chunks,
        placed_by, recorder_kind, recorded_by, recorder, ts)
    VALUES (p_tenant, m.id, m.session_id, m.file_path, coalesce(last.number, 0) + 1, 'content', m.file_hash,
        m.total_chunks, m.id, me.kind, me.id, me.name, m.ts);
    PERFORM place_chunks(p_tenant, mine, gone);
    -- 2. Corrections outlive the file's change.
    corrected := ARRAY(SELECT x.id FROM memory_effectivechunk x
        WHERE x.tenant_id = p_tenant AND x.id = ANY (gone) AND x.edits_applied > 0
          AND (is_edited_away(x) OR x.content_id <> (SELECT k.content_id FROM chunk_of(p_tenant, x.id) k)));
    PERFORM hold_reworded(p_tenant, m.file_path, corrected, come);
    number := coalesce(last.number, 0) + 1;
    added := cardinality(come);
    kept := cardinality(mine) - added;
    superseded := cardinality(gone);
END $$;
