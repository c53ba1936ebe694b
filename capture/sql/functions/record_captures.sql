-- executable by: suture_app
-- Record the sources of chunks that the actor has just recorded, p_captures: a JSON array of objects with the columns
-- of memory_capture. Refuses another recorder's chunk.
CREATE OR REPLACE FUNCTION record_captures(p_tenant uuid, p_captures json) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE
    me acting_context := acting_writer(p_tenant);
    made int;
BEGIN
    INSERT INTO memory_capture (tenant_id, id, session_id, source, hook_type, tool_name, response_type, response_id,
        file_path, word_offset)
    SELECT p_tenant, x.id, k.session_id, x.source, x.hook_type, x.tool_name, x.response_type, x.response_id, NULL,
        x.word_offset
    FROM json_to_recordset(p_captures) AS x (id uuid, source text, hook_type text, tool_name text, response_type text,
        response_id uuid, word_offset int)
    CROSS JOIN LATERAL chunk_of(p_tenant, x.id) k
    WHERE k.recorded_by = me.id AND x.source <> 'MDFileChunk';
    GET DIAGNOSTICS made = ROW_COUNT;
    IF made <> json_array_length(p_captures) THEN
        RAISE EXCEPTION 'a capture must belong to a chunk of its recorder' USING ERRCODE = 'SU403';
    END IF;
END $$;
