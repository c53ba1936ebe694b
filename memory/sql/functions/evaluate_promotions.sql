-- executable by: suture_app
-- The job that promotes memory: evaluate up to p_limit chunks that are due at p_now, oldest first, and move those that
-- meet the criteria of the next tier (judge_promotions). Returns the result of each; `moved_to` and `evidence` are NULL
-- if it stays. A chunk that moved is due again at once, for the next tier, unless it was archived. Runs may overlap: a
-- chunk that is locked by another run or an edit stays due. The job owes the ledger entries of the type `promotion`
-- that mention the moved chunks, in this order, up to 200 in each.
CREATE OR REPLACE FUNCTION evaluate_promotions(p_tenant uuid, p_now timestamptz, p_limit int) RETURNS TABLE (
    chunk_id uuid, tier text, moved_to text, failed text, evidence jsonb
) LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    me acting_context := acting(p_tenant);
    due uuid[];
    held uuid[];
    evaluated uuid[];
    tiers text[];
    wanted text[];
    failures text[];
    proof jsonb[];
    below uuid[];
    moved uuid[];
BEGIN
    PERFORM require_job(p_tenant);
    due := ARRAY(
        SELECT d.id FROM memory_promotiondue d WHERE d.tenant_id = p_tenant AND d.due_at <= p_now
        ORDER BY d.due_at LIMIT p_limit FOR UPDATE SKIP LOCKED);
    -- without waiting: edits lock chunks in another order
    held := ARRAY(
        SELECT x.id FROM unnest(due) i (id) CROSS JOIN LATERAL (
            SELECT y.id FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = i.id
            LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) x);
    WITH judged AS MATERIALIZED (
        SELECT * FROM judge_promotions(p_tenant, held, p_now)
    ), moves AS (
        INSERT INTO memory_promotion (tenant_id, id, chunk_id, number, kind, from_tier, to_tier, reason, evidence,
            promoter_kind, promoted_by, promoter, at)
        SELECT p_tenant, new_id(), j.chunk_id, j.number, 'automatic', j.tier, j.wanted_tier, CASE j.tier
            WHEN 'task' THEN 'Used often enough in one session.'
            WHEN 'session' THEN 'Used in enough sessions, with success, and relied on for long enough.'
            ELSE 'Not used for long enough.' END, j.evidence, 'system', me.id, me.name, p_now
        FROM judged j WHERE j.failed IS NULL
    ), checks AS (
        INSERT INTO memory_promotioncheck (tenant_id, id, tier, wanted_tier, failed, evidence, at)
        SELECT p_tenant, j.chunk_id, j.tier, j.wanted_tier, j.failed, j.evidence, p_now
        FROM judged j WHERE j.failed IS NOT NULL ORDER BY j.chunk_id
        ON CONFLICT (tenant_id, id) DO UPDATE SET tier = excluded.tier, wanted_tier = excluded.wanted_tier,
            failed = excluded.failed, evidence = excluded.evidence, at = excluded.at
    ), later AS (
        UPDATE memory_promotiondue d SET due_at = coalesce(j.due_at, p_now) FROM judged j
        WHERE d.tenant_id = p_tenant AND d.id = j.chunk_id
          AND (j.failed IS NULL AND j.wanted_tier <> 'archive' OR j.due_at IS NOT NULL)
    ), done AS (
        DELETE FROM memory_promotiondue d USING judged j
        WHERE d.tenant_id = p_tenant AND d.id = j.chunk_id
          AND (j.failed IS NOT NULL OR j.wanted_tier = 'archive') AND j.due_at IS NULL
    )
    SELECT array_agg(j.chunk_id ORDER BY j.chunk_id), array_agg(j.tier ORDER BY j.chunk_id),
        array_agg(j.wanted_tier ORDER BY j.chunk_id), array_agg(j.failed ORDER BY j.chunk_id),
        array_agg(j.evidence ORDER BY j.chunk_id), array_agg(j.chunk_id) FILTER (WHERE j.is_derived_from)
    INTO evaluated, tiers, wanted, failures, proof, below FROM judged j;
    IF cardinality(held) < cardinality(due) THEN  -- some are locked, or missing in the projection
        DELETE FROM memory_promotiondue d WHERE d.tenant_id = p_tenant AND d.id = ANY (due) AND NOT EXISTS (
            SELECT FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.id = d.id);
    END IF;
    -- the trust in a consolidation changes with that in its originals
    IF below IS NOT NULL THEN
        PERFORM queue_promotions(p_tenant, consolidations_above(p_tenant, below));
    END IF;
    moved := ARRAY(
        SELECT e.id FROM unnest(evaluated, failures) e (id, failed) WHERE e.failed IS NULL ORDER BY e.id);
    IF moved <> '{}' THEN
        PERFORM set_tier(p_tenant, moved, ARRAY(
            SELECT e.wanted FROM unnest(evaluated, wanted, failures) e (id, wanted, failed)
            WHERE e.failed IS NULL ORDER BY e.id));
        FOR i IN 0 .. (cardinality(moved) - 1) / 200 LOOP
            PERFORM owe_entry(p_tenant, 'promotion', VARIADIC (moved::text[])[i * 200 + 1 : i * 200 + 200]);
        END LOOP;
    END IF;
    RETURN QUERY
    SELECT e.id, e.tier, CASE WHEN e.failed IS NULL THEN e.wanted END, e.failed,
        CASE WHEN e.failed IS NULL THEN e.proof END
    FROM unnest(evaluated, tiers, wanted, failures, proof) e (id, tier, wanted, failed, proof) ORDER BY e.id;
END $$;
