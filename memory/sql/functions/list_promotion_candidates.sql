-- executable by: suture_app
-- One window of the chunks that were or will be evaluated for promotion, from p_before downwards, in order of their
-- ids: what each would do next, and why. Rows that are due are evaluated now; the others have their last evaluation
-- without a move. `is_listed`: it passes the caller's filters, and the caller may see the chunk; the other rows tell
-- how far the window reaches. People with a role see all chunks; agents those that they can read.
CREATE OR REPLACE FUNCTION list_promotion_candidates(
    p_tenant uuid, p_chunk uuid, p_tier text, p_would_move boolean, p_before uuid, p_limit int
) RETURNS TABLE (
    chunk_id uuid, is_listed boolean, tier text, wanted_tier text, failed text, due_at timestamptz, at timestamptz,
    evidence jsonb
) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_custom_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    me acting_context := acting(p_tenant);
    v_tenant uuid := p_tenant;
    now timestamptz := statement_timestamp();
    last uuid := coalesce(p_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
    near uuid[];
    due uuid[];
BEGIN
    near := CASE WHEN p_chunk IS NOT NULL THEN ARRAY[p_chunk] ELSE ARRAY(
        SELECT u.id FROM (
            (SELECT d.id FROM memory_promotiondue d WHERE d.tenant_id = v_tenant AND d.id < last
             ORDER BY d.id DESC LIMIT (SELECT p_limit))
            UNION
            (SELECT k.id FROM memory_promotioncheck k WHERE k.tenant_id = v_tenant AND k.id < last
               AND p_would_move IS NOT TRUE ORDER BY k.id DESC LIMIT (SELECT p_limit))
        ) u ORDER BY u.id DESC LIMIT p_limit) END;
    due := ARRAY(
        SELECT i.id FROM unnest(near) i (id) WHERE p_chunk IS NOT NULL OR EXISTS (
            SELECT FROM memory_promotiondue d WHERE d.tenant_id = v_tenant AND d.id = i.id AND d.due_at <= now));
    RETURN QUERY
    SELECT i.id, (
            f.tier IS NOT NULL AND (p_tier IS NULL OR f.tier = p_tier)
            AND (p_would_move IS NULL OR p_would_move = (f.failed IS NULL))
            AND (me.kind <> 'agent' OR NOT (x.is_retracted OR x.is_quarantined OR x.superseded_by IS NOT NULL
                OR coalesce(x.expires_at <= now, false)) AND is_heard_by(v_tenant, x.whole))),
        f.tier, f.wanted_tier, f.failed, f.due_at, f.at, f.evidence
    FROM unnest(near) i (id)
    CROSS JOIN LATERAL (
        SELECT y.is_retracted, y.is_quarantined, y.superseded_by, y.expires_at, y AS whole
        FROM memory_effectivechunk y WHERE y.tenant_id = v_tenant AND y.id = i.id LIMIT 1) x
    LEFT JOIN LATERAL (
        SELECT j.tier, j.wanted_tier, j.failed, j.due_at, now AS at, j.evidence
        FROM judge_promotions(v_tenant, ARRAY(SELECT i.id WHERE i.id = ANY (due)), now) j
        UNION ALL
        SELECT k.tier, k.wanted_tier, k.failed, d.due_at, k.at, k.evidence FROM memory_promotioncheck k
        LEFT JOIN LATERAL (
            SELECT y.due_at FROM memory_promotiondue y WHERE y.tenant_id = v_tenant AND y.id = k.id LIMIT 1) d ON true
        WHERE k.tenant_id = v_tenant AND k.id = i.id AND NOT i.id = ANY (due)
        LIMIT 1) f ON true
    ORDER BY i.id DESC;
END $$;
