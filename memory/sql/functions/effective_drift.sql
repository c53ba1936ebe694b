-- executable by: suture_owner
-- Every row of the projections that differs from the fold of the record, and of the counts of use (`usage`) that differs from
-- the deliveries, outcomes and changes of confidence. Memories without an approved edit are compared
-- as sets; only edited and erased ones are folded. A chunk whose words are erased counts as retracted.
CREATE OR REPLACE FUNCTION effective_drift(p_tenant uuid) RETURNS TABLE (kind text, id uuid, problem text) LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
DECLARE
    spoken regconfig;
    former regconfig[];
BEGIN
    PERFORM require_tenant(p_tenant);
    spoken := search_language(p_tenant);
    former := ARRAY(
        SELECT g.oid::regconfig FROM pg_ts_config g
        WHERE g.cfgnamespace = 'pg_catalog'::regnamespace AND (g.cfgname = 'english' OR g.cfgname IN (
            SELECT e.metadata ->> 'search_language' FROM governance_entry e
            WHERE e.tenant_id = p_tenant AND e.type = 'tenant.changed')));
    RETURN QUERY
    WITH edited AS (
        SELECT c.event_id, CASE WHEN c.event_id IS NULL THEN c.id END AS chunk_id FROM governance_edit e
        JOIN governance_editstate s ON s.tenant_id = p_tenant AND s.edit_id = e.id AND s.status = 'approved'
        JOIN memory_chunk c ON c.tenant_id = p_tenant AND c.id = e.target_id WHERE e.tenant_id = p_tenant
        UNION
        SELECT d.event_id, NULL FROM governance_edit e
        JOIN governance_editstate s ON s.tenant_id = p_tenant AND s.edit_id = e.id AND s.status = 'approved'
        JOIN memory_decision d ON d.tenant_id = p_tenant AND d.id = e.target_id WHERE e.tenant_id = p_tenant
        UNION  -- erased records fold to another row than intact ones
        SELECT c.event_id, CASE WHEN c.event_id IS NULL THEN c.id END FROM governance_erasureitem i
        JOIN memory_chunk c ON c.tenant_id = p_tenant AND c.id = i.record_id
        WHERE i.tenant_id = p_tenant AND i.kind = 'chunk'
        UNION  -- another memory may have replaced it
        SELECT c.event_id, CASE WHEN c.event_id IS NULL THEN c.id END FROM memory_supersession s
        JOIN memory_chunk c ON c.tenant_id = p_tenant AND c.id = s.superseded_id WHERE s.tenant_id = p_tenant
        UNION  -- updated, a copy, or a quote
        SELECT c.event_id, CASE WHEN c.event_id IS NULL THEN c.id END FROM memory_relation r
        JOIN memory_chunk c ON c.tenant_id = p_tenant AND c.id = CASE r.kind
            WHEN 'update' THEN r.earlier_id ELSE r.later_id END
        WHERE r.tenant_id = p_tenant
        UNION  -- its audience is also that of its originals
        SELECT NULL, s.successor_id FROM memory_supersession s
        WHERE s.tenant_id = p_tenant AND s.kind = 'consolidation'
        UNION
        SELECT c.event_id, CASE WHEN c.event_id IS NULL THEN c.id END FROM memory_captureremoval r
        JOIN memory_chunk c ON c.tenant_id = p_tenant AND c.id = r.chunk_id WHERE r.tenant_id = p_tenant
        UNION  -- beside an edited chunk of a file
        SELECT NULL, n.id FROM governance_edit e
        JOIN governance_editstate s ON s.tenant_id = p_tenant AND s.edit_id = e.id AND s.status = 'approved'
        JOIN memory_chunk c ON c.tenant_id = p_tenant AND c.id = e.target_id AND c.source = 'file'
        CROSS JOIN LATERAL unnest(file_neighbours(p_tenant, ARRAY[c.id])) n (id) WHERE e.tenant_id = p_tenant
        UNION  -- a guard changed its text
        SELECT c.event_id, CASE WHEN c.event_id IS NULL THEN c.id END FROM memory_rewording r
        JOIN memory_chunk c ON c.tenant_id = p_tenant AND c.id = r.record_id WHERE r.tenant_id = p_tenant
    ), placed AS (
        SELECT DISTINCT p.chunk_id FROM (
            SELECT DISTINCT ON (v.recorded_by, v.session_id, v.file_path) v.placed_by FROM memory_fileversion v
            WHERE v.tenant_id = p_tenant ORDER BY v.recorded_by, v.session_id, v.file_path, v.number DESC) l
        JOIN memory_fileplacement p ON p.tenant_id = p_tenant AND p.version_id = l.placed_by
    ), promoted AS (
        SELECT DISTINCT ON (p.chunk_id) p.chunk_id, p.to_tier FROM memory_promotion p WHERE p.tenant_id = p_tenant
        ORDER BY p.chunk_id, p.number DESC
    ), folded AS (
        SELECT f.chunk_id, f.is_retracted, f.is_quarantined, f.blocked_channels, f.importance, f.superseded_by,
            f.is_superseded, f.edits_applied, f.tags, f.audience, CASE WHEN f.reworded IS NULL THEN f.span_start END AS span_start,
            CASE WHEN f.reworded IS NULL THEN f.span_end END AS span_end,
            CASE WHEN f.reworded IS NULL THEN f.content_id
                ELSE stored_rewording(p_tenant, f.content_id, f.span_start, f.span_end, f.chunk_id, f.reworded) END AS content_id
        FROM edited u, fold_memory(p_tenant, u.event_id, u.chunk_id) f
    ), labels AS (
        SELECT e.id, l.metadata, l.expires_at FROM memory_event e CROSS JOIN LATERAL labels_of_event(p_tenant, e.id) l
        WHERE e.tenant_id = p_tenant AND e.kind = 'message' AND e.fields_id IS NOT NULL
    ), expected AS (
        SELECT k.id, coalesce(f.is_retracted, w.id IS NULL) AS is_retracted, coalesce(f.is_quarantined, false) AS is_quarantined,
            coalesce(f.blocked_channels, '{}') AS blocked_channels, coalesce(f.content_id, k.content_id) AS content_id,
            CASE WHEN f.chunk_id IS NULL THEN k.span_start ELSE f.span_start END AS span_start,
            CASE WHEN f.chunk_id IS NULL THEN k.span_end ELSE f.span_end END AS span_end,
            coalesce(f.importance, k.importance) AS importance,
            CASE WHEN f.chunk_id IS NOT NULL THEN f.superseded_by
                 WHEN k.source = 'file' AND l.chunk_id IS NULL THEN k.id END AS superseded_by,
            coalesce(f.is_superseded, k.source = 'file' AND l.chunk_id IS NULL) AS is_superseded, coalesce(f.edits_applied, 0) AS edits, m.seq, m.block_label,
            coalesce(m.is_core, false) AS is_core, coalesce(m.expires_at, e.expires_at) AS expires_at, e.metadata, r.key,
            k.event_id, coalesce(f.tags, kept_tags(p_tenant, k.tags, place_of_chunk(k))) AS tags, k.scope, k.subject_type, k.subject_id, k.project_id, k.session_id, k.channel,
            k.sensitivity, CASE WHEN f.chunk_id IS NULL THEN k.audience ELSE f.audience END AS audience, k.ts,
            coalesce(o.to_tier, first_tier()) AS tier, k AS record, coalesce(p.is_reworded, false) AS is_reworded
        FROM memory_chunk k LEFT JOIN folded f ON f.chunk_id = k.id
        LEFT JOIN placed l ON l.chunk_id = k.id
        LEFT JOIN promoted o ON o.chunk_id = k.id
        LEFT JOIN memory_agentmemory m ON m.tenant_id = p_tenant AND m.id = k.id
        LEFT JOIN memory_pendingcontext p ON p.tenant_id = p_tenant AND p.id = k.id
        LEFT JOIN governance_content w ON w.tenant_id = p_tenant AND w.id = k.content_id
        LEFT JOIN labels e ON e.id = k.event_id
        LEFT JOIN (SELECT DISTINCT y.later_id, y.key FROM memory_relation y
                   WHERE y.tenant_id = p_tenant AND y.key IS NOT NULL) r ON r.later_id = k.id
        WHERE k.tenant_id = p_tenant
    ), worded AS (  -- neighbours together, which costs less than one by one
        SELECT l.id, l.lex FROM (
            SELECT array_agg(o.id) AS ids FROM (
                SELECT y.id, row_number() OVER (ORDER BY y.session_id, y.ts, y.id) / 50 AS part
                FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant) o
            GROUP BY o.part) g
        CROSS JOIN LATERAL lex_of_chunks(p_tenant, g.ids) l
    )
    SELECT 'chunk', coalesce(x.id, k.id), d.why
    FROM (SELECT * FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant) x
    FULL JOIN expected k ON k.id = x.id
    LEFT JOIN worded l ON l.id = k.id
    LEFT JOIN governance_content c ON c.tenant_id = p_tenant AND c.id = k.content_id
    CROSS JOIN LATERAL (SELECT CASE
        WHEN NOT (k.is_retracted OR x.is_expired) THEN span_of(c.body, k.span_start, k.span_end) END AS said) w
    CROSS JOIN LATERAL (SELECT CASE
        WHEN x.id IS NULL THEN 'missing'
        WHEN k.id IS NULL THEN 'without a record'
        WHEN (x.event_id, x.tags, x.scope, x.subject_type, x.subject_id, x.project_id, x.session_id, x.channel,
              x.sensitivity, x.audience, x.ts, x.seq, x.block_label, x.is_core, x.expires_at, x.key, x.metadata)
            IS DISTINCT FROM (k.event_id, k.tags, k.scope, k.subject_type, k.subject_id, k.project_id, k.session_id,
              k.channel, k.sensitivity, k.audience, k.ts, k.seq, k.block_label, k.is_core, k.expires_at, k.key,
              CASE WHEN NOT (k.is_retracted OR x.is_expired) THEN k.metadata END)
            OR (x.source, x.chunk_index, x.recorded_by, x.recorder) IS DISTINCT FROM
            ((k.record).source, (k.record).chunk_index, (k.record).recorded_by, (k.record).recorder) THEN 'metadata'
        WHEN (x.is_retracted, x.is_quarantined, x.blocked_channels, x.superseded_by, x.is_superseded)
            IS DISTINCT FROM (k.is_retracted, k.is_quarantined, k.blocked_channels, k.superseded_by, k.is_superseded)
            OR x.is_expired AND (k.expires_at <= statement_timestamp()) IS NOT TRUE THEN 'visibility'
        WHEN (x.content_id, x.span_start, x.span_end, x.text)
            IS DISTINCT FROM (k.content_id, k.span_start, k.span_end, w.said) THEN 'text'
        WHEN x.importance <> k.importance THEN 'importance'
        WHEN x.tier <> k.tier THEN 'tier'
        WHEN x.edits_applied <> k.edits THEN 'edits_applied'
        -- until the job has renewed it, in one of the tenant's former languages, or in the form before word_text
        WHEN x.tsv IS DISTINCT FROM text_vector(spoken, w.said) AND (k.is_reworded AND x.tsv IN (
            SELECT v FROM unnest(former) l CROSS JOIN LATERAL (
                VALUES (text_vector(l, w.said)), (word_vector(l, left(w.said, 100000), ''))) f (v))) IS NOT TRUE
            THEN 'search vector'
        -- the vector of its words and its neighbours', unless the job has yet to update it
        WHEN NOT is_same_lex(x.lex, CASE WHEN NOT (k.is_retracted OR k.superseded_by IS NOT NULL OR x.is_expired)
                THEN l.lex END)
            AND (k.is_retracted OR k.superseded_by IS NOT NULL OR x.is_expired OR NOT is_context_pending(k.record))
            THEN 'words in context' END AS why) d
    WHERE d.why IS NOT NULL
      -- hidden until a job has reworded it
      AND NOT EXISTS (SELECT FROM memory_pendingrewording p WHERE p.tenant_id = p_tenant AND p.id = x.id);
    RETURN QUERY
    SELECT 'decision', coalesce(x.id, d.id), CASE WHEN x.id IS NULL THEN 'missing' WHEN d.id IS NULL
        THEN 'without a record' ELSE 'state' END
    FROM (SELECT * FROM memory_effectivedecision y WHERE y.tenant_id = p_tenant) x
    FULL JOIN (SELECT y.id AS did, y.*, f.is_retracted, f.is_quarantined, f.blocked_channels, f.content_id AS words,
                   f.details_id AS details, f.importance, f.edits_applied, f.status
               FROM memory_decision y, fold_decision(p_tenant, y.id) f WHERE y.tenant_id = p_tenant) d ON d.did = x.id
    WHERE (x.is_retracted, x.is_quarantined, x.blocked_channels, x.content_id, x.details_id, x.importance,
           x.edits_applied, x.status, x.event_id, x.scope, x.subject_type, x.subject_id, x.project_id, x.session_id,
           x.channel, x.sensitivity, x.audience, x.ts, x.id)
        IS DISTINCT FROM (d.is_retracted, d.is_quarantined, d.blocked_channels, d.words, d.details, d.importance,
           d.edits_applied, d.status, d.event_id, d.scope, d.subject_type, d.subject_id, d.project_id, d.session_id,
           d.channel, d.sensitivity, audience_of_event(p_tenant, d.event_id), d.ts, d.did);
    RETURN QUERY
    SELECT 'task', coalesce(x.id, t.task_id), CASE WHEN x.id IS NULL THEN 'missing' WHEN t.task_id IS NULL
        THEN 'without a record' ELSE 'state' END
    FROM (SELECT * FROM memory_effectivetask y WHERE y.tenant_id = p_tenant) x
    FULL JOIN (SELECT y.task_id, f.*, u.scope, u.subject_type, u.subject_id, u.project_id, u.session_id, u.channel,
                   u.sensitivity
               FROM (SELECT DISTINCT z.task_id FROM memory_task z WHERE z.tenant_id = p_tenant) y,
                   fold_task(p_tenant, y.task_id) f
               JOIN memory_task u ON u.tenant_id = p_tenant AND u.id = f.update_id) t ON t.task_id = x.id
    WHERE (x.update_id, x.event_id, x.content_id, x.details_id, x.status, x.ts, x.is_retracted, x.is_quarantined,
           x.blocked_channels, x.edits_applied, x.scope, x.subject_type, x.subject_id, x.project_id, x.session_id,
           x.channel, x.sensitivity, x.audience, x.id)
        IS DISTINCT FROM (t.update_id, t.event_id, t.content_id, t.details_id, t.status, t.ts, t.is_retracted,
           t.is_quarantined, t.blocked_channels, t.edits_applied, t.scope, t.subject_type, t.subject_id, t.project_id,
           t.session_id, t.channel, t.sensitivity, audience_of_event(p_tenant, t.event_id), t.task_id);
    RETURN QUERY
    SELECT 'usage', coalesce(a.id, e.id), CASE
        WHEN (coalesce(a.access_count, 0), a.last_accessed) IS DISTINCT FROM (coalesce(e.accesses, 0), e.last_accessed)
            THEN 'accesses'
        WHEN coalesce(a.confidence, 0.5) <> coalesce(e.confidence, 0.5) THEN 'confidence'
        ELSE 'outcomes' END
    FROM (SELECT * FROM memory_chunkaccess y WHERE y.tenant_id = p_tenant) a
    FULL JOIN (
        SELECT u.id, sum(u.accesses)::bigint AS accesses, max(u.last_accessed) AS last_accessed,
            sum(u.successes)::bigint AS successes, sum(u.failures)::bigint AS failures,
            max(u.last_outcome_at) AS last_outcome_at, max(u.confidence) AS confidence
        FROM (
            SELECT y.chunk_id AS id, count(*) AS accesses, max(y.at) AS last_accessed, 0::bigint AS successes,
                0::bigint AS failures, NULL::timestamptz AS last_outcome_at, NULL::numeric AS confidence
            FROM memory_delivery y WHERE y.tenant_id = p_tenant AND y.receiver_kind = 'agent' GROUP BY y.chunk_id
            UNION ALL
            SELECT y.chunk_id, 0, NULL, count(*) FILTER (WHERE y.outcome = 'success'),
                count(*) FILTER (WHERE y.outcome = 'failure'), max(y.at), NULL
            FROM memory_outcome y WHERE y.tenant_id = p_tenant GROUP BY y.chunk_id
            UNION ALL
            (SELECT DISTINCT ON (y.chunk_id) y.chunk_id, 0, NULL::timestamptz, 0, 0, NULL::timestamptz, y.after
            FROM memory_confidencechange y WHERE y.tenant_id = p_tenant ORDER BY y.chunk_id, y.number DESC)
        ) u GROUP BY u.id
    ) e ON e.id = a.id
    WHERE (coalesce(a.access_count, 0), a.last_accessed, coalesce(a.successes, 0), coalesce(a.failures, 0),
           a.last_outcome_at, coalesce(a.confidence, 0.5))
        IS DISTINCT FROM (coalesce(e.accesses, 0), e.last_accessed, coalesce(e.successes, 0), coalesce(e.failures, 0),
           e.last_outcome_at, coalesce(e.confidence, 0.5));
END $$;
