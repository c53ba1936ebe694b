-- executable by: suture_app
-- Record that a file of the actor was deleted (`deleted`: its chunks are kept and marked), that its chunks are deleted
-- (`removed`), or that it was renamed to p_new_path (`renamed`). Returns the number of its chunks; NULL if the file has
-- none.
CREATE OR REPLACE FUNCTION change_file(
    p_tenant uuid, p_change text, p_session text, p_path text, p_new_path text
) RETURNS int LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    me acting_context := acting_writer(p_tenant);
    last memory_fileversion;
    there memory_fileversion;
    chunks uuid[];
    replaced uuid[];
    present timestamptz := clock_timestamp();
BEGIN
    -- in one order, whoever renames what
    PERFORM lock_file(p_tenant, me.id, p_session, least(p_path, p_new_path));
    IF p_new_path <> p_path THEN PERFORM lock_file(p_tenant, me.id, p_session, greatest(p_path, p_new_path)); END IF;
    SELECT * INTO last FROM latest_of_file(p_tenant, me.id, p_session, p_path);
    IF last.placed_by IS NULL THEN RETURN NULL; END IF;
    chunks := ARRAY(SELECT p.chunk_id FROM memory_fileplacement p
        WHERE p.tenant_id = p_tenant AND p.version_id = last.placed_by);
    IF p_change = 'deleted' AND last.change = 'deleted' OR p_change = 'renamed' AND p_new_path = p_path THEN
        RETURN cardinality(chunks);
    END IF;
    INSERT INTO memory_fileversion (tenant_id, id, session_id, file_path, number, change, file_hash, total_chunks,
        placed_by, recorder_kind, recorded_by, recorder, ts)
    VALUES (p_tenant, new_id(), p_session, p_path, last.number + 1,
        CASE p_change WHEN 'renamed' THEN 'moved' ELSE p_change END, last.file_hash,
        CASE p_change WHEN 'deleted' THEN last.total_chunks ELSE 0 END,
        CASE p_change WHEN 'deleted' THEN last.placed_by END, me.kind, me.id, me.name, present);
    IF p_change = 'renamed' THEN
        SELECT * INTO there FROM latest_of_file(p_tenant, me.id, p_session, p_new_path);
        replaced := ARRAY(SELECT p.chunk_id FROM memory_fileplacement p
            WHERE p.tenant_id = p_tenant AND p.version_id = there.placed_by);
        INSERT INTO memory_fileversion (tenant_id, id, session_id, file_path, number, change, file_hash, total_chunks,
            placed_by, recorder_kind, recorded_by, recorder, ts)
        VALUES (p_tenant, new_id(), p_session, p_new_path, coalesce(there.number, 0) + 1, 'renamed', last.file_hash,
            last.total_chunks, last.placed_by, me.kind, me.id, me.name, present);
        PERFORM place_chunks(p_tenant, chunks, replaced);
    ELSIF p_change = 'removed' THEN
        PERFORM place_chunks(p_tenant, '{}', chunks);
    END IF;
    RETURN cardinality(chunks);
END $$;
