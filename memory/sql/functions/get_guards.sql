-- executable by: suture_app
-- The values that are forgotten or replaced now, newest first, with the edit that did it and how many chunks are hidden
-- until they are folded again. For people with a role; an agent gets those that it recorded, without the value.
CREATE OR REPLACE FUNCTION get_guards(p_tenant uuid) RETURNS TABLE (
    value_id uuid, edit_id uuid, op text, value text, instead text, reach text, proposer text, reason text,
    applied_at timestamptz, ends_at timestamptz, waiting int
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    RETURN QUERY
    SELECT g.id, e.id, CASE WHEN g.instead_id IS NULL THEN 'forget' ELSE 'replace' END,
        CASE WHEN me.kind = 'human' THEN w.body END, i.body,
        jsonb_strip_nulls(jsonb_build_object('subject_type', g.subject_type, 'subject_id', g.subject_id, 'project_id',
            g.project_id, 'session_id', g.session_id, 'recorder', g.by_recorder, 'channel', g.channel, 'since', g.since,
            'until', g.until))::text,
        e.proposer, e.reason, g.applied_at, g.ends_at,
        (SELECT count(*)::int FROM memory_pendingrewording p WHERE p.tenant_id = p_tenant AND p.value_id = g.id)
    FROM memory_guard g
    CROSS JOIN LATERAL (SELECT y.* FROM memory_value y WHERE y.tenant_id = p_tenant AND y.id = g.id LIMIT 1) v
    LEFT JOIN LATERAL content_of(p_tenant, v.content_id) w ON true
    LEFT JOIN LATERAL content_of(p_tenant, g.instead_id) i ON true
    CROSS JOIN LATERAL (
        SELECT a.id FROM applied_edits(p_tenant, ARRAY[g.id], NULL) a
        WHERE NOT a.id = ANY (cancelled_edits(p_tenant, ARRAY[g.id], NULL))
          AND a.op = CASE WHEN g.instead_id IS NULL THEN 'retract' ELSE 'amend' END
        ORDER BY a.applied_at DESC LIMIT 1) a
    CROSS JOIN LATERAL (SELECT y.* FROM governance_edit y WHERE y.tenant_id = p_tenant AND y.id = a.id LIMIT 1) e
    WHERE g.tenant_id = p_tenant AND (me.kind = 'human' OR v.recorded_by = me.id)
    ORDER BY g.applied_at DESC, g.id DESC;
END $$;
