-- All chunks, in every version, of the file that a chunk is or was in, also under the paths that the file had before or has
-- now. Empty for a chunk of no file.
CREATE OR REPLACE FUNCTION chunks_of_file(p_tenant uuid, p_chunk uuid) RETURNS uuid[] LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    k memory_chunk;
    paths text[];
    known text[] := '{}';
    found uuid[] := '{}';
BEGIN
    SELECT * INTO k FROM chunk_of(p_tenant, p_chunk);
    IF k.source IS DISTINCT FROM 'file' THEN RETURN '{}'; END IF;
    found := ARRAY[p_chunk];
    LOOP
        -- the paths that these chunks were recorded for, and those of the versions that have them
        paths := ARRAY(
            SELECT c.file_path FROM unnest(found) i (id)
            CROSS JOIN LATERAL (
                SELECT y.file_path FROM memory_capture y WHERE y.tenant_id = p_tenant AND y.id = i.id LIMIT 1) c
            UNION
            SELECT v.file_path FROM unnest(found) i (id)
            CROSS JOIN LATERAL (
                SELECT y.version_id FROM memory_fileplacement y
                WHERE y.tenant_id = p_tenant AND y.chunk_id = i.id OFFSET 0) p
            CROSS JOIN LATERAL (
                SELECT y.file_path, y.session_id, y.recorded_by FROM memory_fileversion y
                WHERE y.tenant_id = p_tenant AND y.placed_by = p.version_id OFFSET 0) v
            WHERE v.session_id = k.session_id AND v.recorded_by = k.recorded_by);
        EXIT WHEN paths <@ known;
        known := known || paths;
        found := ARRAY(
            SELECT c.id FROM unnest(paths) n (path) CROSS JOIN LATERAL (
                SELECT y.id, y.session_id FROM memory_capture y
                WHERE y.tenant_id = p_tenant AND y.source = 'MDFileChunk' AND y.file_path = n.path OFFSET 0) c
            CROSS JOIN LATERAL chunk_of(p_tenant, c.id) o
            WHERE c.session_id = k.session_id AND o.recorded_by = k.recorded_by
            UNION
            SELECT p.chunk_id FROM unnest(paths) n (path) CROSS JOIN LATERAL (
                SELECT y.placed_by, y.session_id, y.recorded_by FROM memory_fileversion y
                WHERE y.tenant_id = p_tenant AND y.file_path = n.path OFFSET 0) v
            CROSS JOIN LATERAL (
                SELECT y.chunk_id FROM memory_fileplacement y
                WHERE y.tenant_id = p_tenant AND y.version_id = v.placed_by OFFSET 0) p
            WHERE v.session_id = k.session_id AND v.recorded_by = k.recorded_by);
    END LOOP;
    RETURN found;
END $$;
