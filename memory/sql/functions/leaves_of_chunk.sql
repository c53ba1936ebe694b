-- The leaves (governance/sql/functions/append_leaves.sql) of chunks.
CREATE OR REPLACE FUNCTION leaves_of_chunk(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE sql STABLE AS $$
    SELECT k.id, jsonb_build_array('chunk/1', k.tenant_id, k.id,
        scope_leaf(k.scope, k.subject_type, k.subject_id, k.project_id, k.session_id, k.channel, k.sensitivity, k.ts),
        k.event_id, k.source, k.content_id, (SELECT sha.hex FROM content_digest(p_tenant, k.content_id) sha),
        k.span_start, k.span_end,
        k.chunk_index, k.total_chunks, k.importance, k.tags, k.retention, k.recorder_kind, k.recorded_by, k.recorder)
    FROM memory_chunk k
    WHERE k.tenant_id = p_tenant AND k.id = ANY (p_ids)
$$;

ALTER FUNCTION leaves_of_chunk OWNER TO suture_gate;
