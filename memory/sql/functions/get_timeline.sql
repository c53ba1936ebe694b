-- executable by: suture_app
-- The chunks around one chunk, nearest in time first, by two bounded index walks instead of a sort of the whole window.
-- Of two equally near, the earlier one comes first; at the same time, the one whose id is nearer. With p_after_id, the
-- chunks after that one, which is at p_after_ts. Returns no row if the reader may not see the centre.
CREATE OR REPLACE FUNCTION get_timeline(
    p_tenant uuid, p_around uuid, p_window_seconds int, p_listening text[],
    p_channels text[], p_include_quarantined boolean, p_include_archived boolean, p_limit int,
    p_after_ts timestamptz, p_after_id uuid
) RETURNS TABLE (
    chunk_id uuid, text text, importance numeric, ts timestamptz, distance_seconds int, edits_applied int,
    is_quarantined boolean, event_id uuid, session_id text, scope text, subject_type text, subject_id text,
    project_id text, channel text, tier text, source text, recorder text, center_ts timestamptz, tags text[]
) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_reader reader := reader_including(p_tenant, p_listening, p_include_quarantined);
    v_tenant uuid := p_tenant;
    centre timestamptz;
    reach interval := make_interval(secs => p_window_seconds);
    -- each walk goes on after this place
    later_ts timestamptz;
    later_id uuid := '00000000-0000-0000-0000-000000000000';
    earlier_ts timestamptz;
    earlier_id uuid := '00000000-0000-0000-0000-000000000000';
BEGIN
    SELECT x.ts INTO centre FROM memory_effectivechunk x
    WHERE x.tenant_id = v_tenant AND x.id = p_around
      AND is_seen(x, p_listening, v_reader, p_include_quarantined);
    IF NOT FOUND THEN RETURN; END IF;
    later_ts := centre;
    earlier_ts := centre;
    IF p_after_ts >= centre AND p_after_id <> p_around THEN
        later_ts := p_after_ts; later_id := p_after_id;
        earlier_ts := centre - (p_after_ts - centre);
    ELSIF p_after_ts < centre THEN
        earlier_ts := p_after_ts; earlier_id := p_after_id;
        later_ts := centre + (centre - p_after_ts);
    END IF;
    RETURN QUERY
    SELECT n.id, n.text, n.importance, n.ts, round(extract(epoch FROM n.ts - centre))::int, n.edits_applied,
        n.is_quarantined, n.event_id, n.session_id, n.scope, n.subject_type, n.subject_id, n.project_id, n.channel,
        n.tier, n.source, n.recorder, centre, n.tags
    FROM (
        (SELECT x.id, x.text, x.importance, x.ts, x.edits_applied, x.is_quarantined, x.event_id, x.session_id,
                x.scope, x.subject_type, x.subject_id, x.project_id, x.channel, x.tier, x.source, x.recorder, x.tags
         FROM memory_effectivechunk x
         WHERE x.tenant_id = v_tenant AND x.ts >= later_ts AND x.ts <= centre + reach
           AND (x.ts, x.id) > (later_ts, later_id) AND x.id <> p_around
           AND is_seen(x, p_listening, v_reader, p_include_quarantined)
           AND x.channel = ANY (p_channels) AND (p_include_archived OR x.tier <> 'archive')
         ORDER BY x.ts, x.id LIMIT p_limit)
        UNION ALL
        -- the one in the middle comes first, in whichever channel it was recorded
        (SELECT x.id, x.text, x.importance, x.ts, x.edits_applied, x.is_quarantined, x.event_id, x.session_id,
                x.scope, x.subject_type, x.subject_id, x.project_id, x.channel, x.tier, x.source, x.recorder, x.tags
         FROM memory_effectivechunk x
         WHERE x.tenant_id = v_tenant AND x.id = p_around AND p_after_id IS NULL)
        UNION ALL
        (SELECT x.id, x.text, x.importance, x.ts, x.edits_applied, x.is_quarantined, x.event_id, x.session_id,
                x.scope, x.subject_type, x.subject_id, x.project_id, x.channel, x.tier, x.source, x.recorder, x.tags
         FROM memory_effectivechunk x
         WHERE x.tenant_id = v_tenant AND x.ts <= earlier_ts AND x.ts >= centre - reach
           AND (x.ts, x.id) < (earlier_ts, earlier_id)
           AND is_seen(x, p_listening, v_reader, p_include_quarantined) AND x.channel = ANY (p_channels)
           AND (p_include_archived OR x.tier <> 'archive')
         ORDER BY x.ts DESC, x.id DESC LIMIT p_limit)
    ) n
    ORDER BY (n.id = p_around) DESC, CASE WHEN n.ts < centre THEN centre - n.ts ELSE n.ts - centre END,
        n.ts < centre DESC, CASE WHEN n.ts >= centre THEN n.id END, n.id DESC LIMIT p_limit;
END $$;
