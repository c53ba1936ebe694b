-- executable by: suture_app
-- The items of some capsules, in order, as a reader in the channels p_listening may see them now: none of a capsule that
-- is refused to the reader. `withheld` says why an item has no words: `erased`, or a reason of why_hidden. An artifact is
-- withheld when its event is.
CREATE OR REPLACE FUNCTION get_capsule_items(
    p_tenant uuid, p_capsules uuid[], p_listening text[], p_include_quarantined boolean
) RETURNS TABLE (
    capsule_id uuid, kind text, item_id uuid, withheld text, text text, details text, importance numeric,
    ts timestamptz, edits_applied int, is_quarantined boolean, status text, media_type text, event_id uuid,
    session_id text, scope text, subject_type text, subject_id text, project_id text, channel text, content_hash text
) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_reader reader := reader_including(p_tenant, p_listening, p_include_quarantined);
    v_tenant uuid := p_tenant;
    me acting_context := acting(p_tenant);
    v_capsules uuid[] := ARRAY(
        SELECT c FROM unnest(p_capsules) c WHERE capsule_refusal(p_tenant, c, me.kind, me.id) IS NULL);
    kinds text[];
    items uuid[];
    artifacts uuid[];
BEGIN
    -- a capsule hands over to its receivers whatever the audience, but not to a principal for whom one asks
    IF me.on_behalf_of IS NULL THEN v_reader.hears_all := true; END IF;
    -- The capsules are looked up one by one: for many at once, the planner reads all items of a tenant with few.
    SELECT array_agg(DISTINCT i.kind), array_agg(i.item_id) INTO kinds, items
    FROM unnest(v_capsules) AS k (id) CROSS JOIN LATERAL (
            SELECT y.* FROM capsules_capsuleitem y WHERE y.tenant_id = v_tenant AND y.capsule_id = k.id OFFSET 0) i;
    IF 'chunk' = ANY (kinds) THEN
        RETURN QUERY
        SELECT i.capsule_id, i.kind, i.item_id, w.why,
            CASE WHEN w.why IS NULL THEN span_of(c.body, x.span_start, x.span_end) END, NULL, x.importance::numeric,
            x.ts, x.edits_applied, x.is_quarantined, NULL, NULL, x.event_id, x.session_id, x.scope, x.subject_type,
            x.subject_id, x.project_id, x.channel, words_hash(c.sha256, NULL, x.span_start, x.span_end)
        FROM unnest(v_capsules) AS k (id) CROSS JOIN LATERAL (
            SELECT y.* FROM capsules_capsuleitem y WHERE y.tenant_id = v_tenant AND y.capsule_id = k.id OFFSET 0) i
        JOIN memory_effectivechunk x ON x.tenant_id = v_tenant AND x.id = i.item_id AND x.id = ANY (items)
        LEFT JOIN LATERAL content_of(v_tenant, x.content_id) c ON true
        CROSS JOIN LATERAL (SELECT CASE WHEN c.id IS NULL THEN 'erased'
            ELSE why_chunk_hidden(x, p_listening, v_reader, p_include_quarantined) END AS why) w
        WHERE i.kind = 'chunk' AND w.why IS DISTINCT FROM 'audience'
        ORDER BY i.capsule_id, i.position;
    END IF;
    IF 'decision' = ANY (kinds) THEN
        RETURN QUERY
        SELECT i.capsule_id, i.kind, i.item_id, w.why, CASE WHEN w.why IS NULL THEN c.body END,
            CASE WHEN w.why IS NULL THEN f.body END, d.importance::numeric, d.ts, d.edits_applied, d.is_quarantined,
            d.status, NULL, d.event_id, d.session_id, d.scope, d.subject_type, d.subject_id, d.project_id, d.channel,
            words_hash(c.sha256, f.sha256, NULL, NULL)
        FROM unnest(v_capsules) AS k (id) CROSS JOIN LATERAL (
            SELECT y.* FROM capsules_capsuleitem y WHERE y.tenant_id = v_tenant AND y.capsule_id = k.id OFFSET 0) i
        JOIN memory_effectivedecision d ON d.tenant_id = v_tenant AND d.id = i.item_id AND d.id = ANY (items)
        LEFT JOIN LATERAL content_of(v_tenant, d.content_id) c ON true
        LEFT JOIN LATERAL content_of(v_tenant, d.details_id) f ON true
        CROSS JOIN LATERAL (SELECT CASE WHEN c.id IS NULL THEN 'erased'
            ELSE why_decision_hidden(d, p_listening, v_reader, p_include_quarantined) END AS why) w
        WHERE i.kind = 'decision' AND w.why IS DISTINCT FROM 'audience'
        ORDER BY i.capsule_id, i.position;
    END IF;
    IF 'artifact' = ANY (kinds) THEN
        SELECT array_agg(DISTINCT a.event_id) INTO artifacts
        FROM unnest(v_capsules) AS k (id) CROSS JOIN LATERAL (
            SELECT y.* FROM capsules_capsuleitem y WHERE y.tenant_id = v_tenant AND y.capsule_id = k.id OFFSET 0) i
        CROSS JOIN LATERAL (
            SELECT y.* FROM memory_artifact y WHERE y.tenant_id = v_tenant AND y.id = i.item_id LIMIT 1) a
        WHERE i.kind = 'artifact';
        RETURN QUERY
        SELECT i.capsule_id, i.kind, i.item_id, e.withheld, e.text, e.fields, NULL::numeric, a.ts, e.edits_applied,
            NULL::boolean, NULL, a.media_type, a.event_id, a.session_id, a.scope, a.subject_type, a.subject_id,
            a.project_id, a.channel, NULL
        FROM unnest(v_capsules) AS k (id) CROSS JOIN LATERAL (
            SELECT y.* FROM capsules_capsuleitem y WHERE y.tenant_id = v_tenant AND y.capsule_id = k.id OFFSET 0) i
        CROSS JOIN LATERAL (
            SELECT y.* FROM memory_artifact y WHERE y.tenant_id = v_tenant AND y.id = i.item_id LIMIT 1) a
        JOIN get_events(v_tenant, artifacts, p_listening, p_include_quarantined) e
            ON e.event_id = a.event_id
        WHERE i.kind = 'artifact'
        ORDER BY i.capsule_id, i.position;
    END IF;
END $$;
