-- The leaves (governance/sql/functions/append_leaves.sql) of chunks.
CREATE OR REPLACE FUNCTION leaves_of_chunk(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT k.id, jsonb_build_array('chunk/1', k.tenant_id, k.id,
        scope_leaf(k.scope, k.subject_type, k.subject_id, k.project_id, k.session_id, k.channel, k.sensitivity, k.ts),
        k.event_id, k.source, k.content_id, encode(coalesce(c.sha256, x.sha256), 'hex'), k.span_start, k.span_end,
        k.chunk_index, k.total_chunks, k.importance, k.tags, k.retention, k.recorder_kind, k.recorded_by, k.recorder)
    FROM unnest(p_ids) w (id)
    CROSS JOIN LATERAL (SELECT * FROM memory_chunk o WHERE o.tenant_id = p_tenant AND o.id = w.id LIMIT 1) k
    LEFT JOIN LATERAL content_of(p_tenant, k.content_id) c ON true
    LEFT JOIN governance_erasedcontent x ON x.tenant_id = p_tenant AND x.id = k.content_id;
END $$;

ALTER FUNCTION leaves_of_chunk OWNER TO suture_gate;
