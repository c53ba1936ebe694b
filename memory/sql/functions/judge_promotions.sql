-- The result of the promotion rules for chunks at p_now: the tier that each would move to, the first criterion that is
-- not met (NULL: it moves), when time alone may change that (NULL: never), and the evidence. docs/promotion.md has the
-- rules. `number` is that of the chunk's next promotion. Each fact is looked up by its key: see decision 0013.
CREATE OR REPLACE FUNCTION judge_promotions(p_tenant uuid, p_chunks uuid[], p_now timestamptz) RETURNS TABLE (
    chunk_id uuid, tier text, wanted_tier text, failed text, due_at timestamptz, number int, is_derived_from boolean,
    evidence jsonb
) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    v_tenant uuid := p_tenant;
    rules jsonb := promotion_rules(p_tenant) - 'promoting_agents';
    uses_needed bigint := (rules ->> 'uses_in_session')::bigint;
    sessions_needed bigint := (rules ->> 'sessions')::bigint;
    successes_needed int := (rules ->> 'successes')::int;
    least_confidence numeric := (rules ->> 'confidence')::numeric;
    least_trust numeric := (rules ->> 'low_trust')::numeric;
    -- hours, because a day of a time zone may have 23
    kept interval := make_interval(hours => 24 * (rules ->> 'confidence_days')::int);
    unused interval := make_interval(hours => 24 * (rules ->> 'unused_days')::int);
BEGIN
    RETURN QUERY
    SELECT j.id, j.tier, j.wanted, j.failed,
        CASE j.failed WHEN 'confidence_days' THEN j.confident_since + kept
            WHEN 'unused_days' THEN j.unused_since + unused + interval '1 microsecond' END,
        j.number, j.is_superseded,
        jsonb_strip_nulls(jsonb_build_object('sessions', j.sessions, 'uses_in_session', j.in_session, 'uses', j.uses,
            'successes', j.successes, 'failures', j.failures, 'confidence', trim_scale(j.confidence),
            'trust', trim_scale(j.trust), 'confident_since', j.confident_since, 'last_accessed', j.last_accessed,
            'unused_since', j.unused_since, 'counted_since', j.counted_since, 'thresholds', rules))
    FROM (
        SELECT f.*, CASE
            WHEN f.tier = 'archive' THEN 'by_hand'
            WHEN f.hidden IS NOT NULL THEN f.hidden
            WHEN f.tier = 'longterm' AND f.is_core THEN 'core'
            WHEN f.tier = 'longterm' AND NOT f.unused_since < p_now - unused THEN 'unused_days'
            WHEN f.tier <> 'longterm' AND f.trust < least_trust THEN 'low_trust'
            WHEN f.tier = 'task' AND f.in_session < uses_needed THEN 'uses_in_session'
            WHEN f.tier = 'session' AND f.sessions < sessions_needed THEN 'sessions'
            WHEN f.tier = 'session' AND f.successes < successes_needed THEN 'successes'
            WHEN f.tier = 'session' AND (f.trust < least_confidence OR f.confident_since IS NULL) THEN 'confidence'
            WHEN f.tier = 'session' AND f.confident_since > p_now - kept THEN 'confidence_days' END AS failed
        FROM (
            SELECT x.id, x.tier, x.is_superseded, x.is_core OR x.block_label IS NOT NULL AS is_core,
                CASE x.tier WHEN 'task' THEN 'session' WHEN 'longterm' THEN 'archive' ELSE 'longterm' END AS wanted,
                CASE WHEN x.is_retracted THEN 'retracted' WHEN x.is_quarantined THEN 'quarantined'
                     WHEN x.superseded_by IS NOT NULL THEN 'superseded' WHEN x.expires_at <= p_now THEN 'expired'
                     END AS hidden,
                coalesce(m.number, 0) + 1 AS number, m.counted_since,
                s.sessions, coalesce(s.in_session, 0) AS in_session,
                coalesce(a.access_count, 0) AS uses, coalesce(a.successes, 0) AS successes,
                coalesce(a.failures, 0) AS failures, coalesce(a.confidence, 0.5) AS confidence, a.last_accessed,
                CASE WHEN x.source = 'consolidation' THEN trust_of(v_tenant, x.id) ELSE coalesce(a.confidence, 0.5)
                    END AS trust,
                CASE WHEN x.tier = 'session' THEN trusted_since(v_tenant, x.id, least_confidence) END AS confident_since,
                CASE WHEN x.tier = 'longterm' THEN greatest(a.last_accessed, coalesce(m.at, x.ts)) END AS unused_since
            FROM unnest(p_chunks) i (id)
            CROSS JOIN LATERAL (
                SELECT y.id, y.tier, y.is_superseded, y.is_core, y.block_label, y.is_retracted, y.is_quarantined,
                    y.superseded_by, y.expires_at, y.source, y.ts
                FROM memory_effectivechunk y WHERE y.tenant_id = v_tenant AND y.id = i.id LIMIT 1) x
            -- after a move down by hand, only later uses count; otherwise the next evaluation would undo it
            LEFT JOIN LATERAL (
                SELECT p.number, p.at, CASE WHEN p.kind = 'manual' AND p.to_tier IN ('task', 'session')
                    AND array_position('{task,session,longterm,archive}', p.to_tier)
                        < array_position('{task,session,longterm,archive}', p.from_tier) THEN p.at END AS counted_since
                FROM memory_promotion p WHERE p.tenant_id = v_tenant AND p.chunk_id = x.id
                ORDER BY p.number DESC LIMIT 1) m ON true
            LEFT JOIN LATERAL (
                SELECT y.access_count, y.last_accessed, y.confidence, y.successes, y.failures FROM memory_chunkaccess y
                WHERE y.tenant_id = v_tenant AND y.id = x.id LIMIT 1) a ON true
            CROSS JOIN LATERAL (
                SELECT count(*) AS sessions, max(y.access_count) FILTER (
                    WHERE m.counted_since IS NULL OR y.first_accessed > m.counted_since) AS in_session
                FROM memory_chunksession y WHERE y.tenant_id = v_tenant AND y.chunk_id = x.id
                  AND (m.counted_since IS NULL OR y.last_accessed > m.counted_since)) s
        ) f
    ) j;
END $$;
