-- executable by: suture_app
-- The checkpoints of a session, newest first, or with p_by_label those that have a label, the greatest label first (by
-- its code points). p_before: only those after this one, which has the label p_before_label. Other parameters that are
-- NULL do not filter. The caller decides who may read the session.
CREATE OR REPLACE FUNCTION list_checkpoints(
    p_tenant uuid, p_running uuid, p_depth int, p_kind text, p_label_prefix text, p_by_label boolean,
    p_before_label text, p_before uuid, p_limit int
) RETURNS TABLE (
    id uuid, session_id text, turn bigint, depth smallint, format_version text, kind text, label text, size bigint,
    stored_size bigint, sha256 bytea, path text, is_pinned boolean, agent text, created_at timestamptz
) LANGUAGE plpgsql STABLE SECURITY DEFINER
-- so that each order has its own plan: the newest come from an index
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    -- by label, all of the session are read and sorted anyway: then planning takes as long as that
    IF p_by_label THEN PERFORM set_config('plan_cache_mode', 'force_generic_plan', true); END IF;
    RETURN QUERY
    WITH listed AS MATERIALIZED (
        SELECT s.id, s.label COLLATE "C" AS label, s.is_pinned FROM memory_checkpointstate s
        WHERE s.tenant_id = p_tenant AND s.running_id = p_running AND NOT s.is_removed
          AND (p_depth IS NULL OR s.depth = p_depth)
          AND (p_label_prefix IS NULL OR starts_with(s.label, p_label_prefix))
          AND (p_kind IS NULL OR EXISTS (
              SELECT FROM memory_checkpoint k WHERE k.tenant_id = p_tenant AND k.id = s.id AND k.kind = p_kind))
          AND (NOT p_by_label OR s.label IS NOT NULL)
          AND (p_before IS NULL OR CASE WHEN p_by_label THEN (s.label COLLATE "C", s.id) < (p_before_label, p_before)
                                        ELSE s.id < p_before END)
        ORDER BY CASE WHEN p_by_label THEN s.label END COLLATE "C" DESC, s.id DESC LIMIT p_limit
    )
    SELECT c.id, c.session_id, c.turn, c.depth, c.format_version, c.kind, l.label, c.size, c.stored_size, c.sha256,
        c.path, l.is_pinned, c.agent, c.created_at
    FROM listed l
    CROSS JOIN LATERAL (SELECT * FROM memory_checkpoint x WHERE x.tenant_id = p_tenant AND x.id = l.id LIMIT 1) c
    ORDER BY CASE WHEN p_by_label THEN l.label END DESC, l.id DESC;
END $$;
