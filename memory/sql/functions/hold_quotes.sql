-- Hold chunks that quote some memories of which their readers may no longer get what is quoted (is_repeat_current): each
-- is hidden until a reviewer has checked it (hold_target). Of p_quotes only, if given. Returns those that were held. A
-- quote that is already hidden stays as it is.
CREATE OR REPLACE FUNCTION hold_quotes(p_tenant uuid, p_sources uuid[], p_quotes uuid[] DEFAULT NULL) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE q record;
BEGIN
    FOR q IN
        SELECT x.id, x.sensitivity, r.recorder_kind, r.recorded_by, r.recorder, r.earlier_id
        FROM (SELECT DISTINCT ON (y.later_id) y.later_id, y.earlier_id, y.recorder_kind, y.recorded_by, y.recorder
              FROM unnest(p_sources) i (id) CROSS JOIN LATERAL (
                  SELECT z.* FROM memory_relation z
                  WHERE z.tenant_id = p_tenant AND z.earlier_id = i.id AND z.kind = 'quote' OFFSET 0) y
              WHERE (p_quotes IS NULL OR y.later_id = ANY (p_quotes))
                AND NOT is_repeat_current(p_tenant, y.later_id, y.earlier_id)
              ORDER BY y.later_id, y.earlier_id) r
        CROSS JOIN LATERAL (
            SELECT y.* FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = r.later_id
              AND NOT y.is_retracted AND NOT y.is_quarantined LIMIT 1) x
        ORDER BY x.id
    LOOP
        PERFORM hold_target(p_tenant, 'chunk', q.id, 'consolidation',
            (p_tenant, q.recorder_kind, q.recorded_by, q.recorder, '{}'::text[], '{}'::text[], NULL::uuid, NULL::uuid, NULL::text),
            format('Quotes chunk %s, which was changed or hidden, or is for fewer readers.', q.earlier_id),
            format('Show it again. It quotes chunk %s, which was changed or hidden, or is for fewer readers: may readers get'
                ' that?', q.earlier_id),
            greatest(1, approvals_for(p_tenant, 'revert', 'agent', q.sensitivity)));
        RETURN NEXT q.id;
    END LOOP;
END $$;
