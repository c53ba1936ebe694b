-- The leaves (governance/sql/functions/append_leaves.sql) of versions of files. The placements of a version's own chunks
-- are in its leaf as one digest, since a file may have 50,000.
CREATE OR REPLACE FUNCTION leaves_of_file_version(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE sql STABLE AS $$
    SELECT v.id, jsonb_build_array('file_version/1', v.tenant_id, v.id, v.session_id, v.file_path, v.number, v.change,
        v.file_hash, v.total_chunks, v.placed_by, v.recorder_kind, v.recorded_by, v.recorder, microseconds(v.ts), (
            SELECT encode(sha256(convert_to(coalesce(string_agg(concat_ws(' ', p.id, p.chunk_id, p.chunk_index,
                p.word_offset, p.text_start, p.text_end), E'\n' ORDER BY p.chunk_index), ''), 'UTF8')), 'hex')
            FROM memory_fileplacement p WHERE p.tenant_id = p_tenant AND p.version_id = v.id))
    FROM memory_fileversion v
    WHERE v.tenant_id = p_tenant AND v.id = ANY (p_ids)
$$;

ALTER FUNCTION leaves_of_file_version OWNER TO suture_gate;
