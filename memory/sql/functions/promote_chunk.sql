-- executable by: suture_app
-- Move a chunk to a tier by hand, for a reviewer, an admin, or an agent in the policy's list. `refusal` says why it
-- does not move: see memory/tiers/manual.py. Returns the promotion; the caller owes its ledger entry.
CREATE OR REPLACE FUNCTION promote_chunk(
    p_tenant uuid, p_chunk uuid, p_tier text, p_reason text, OUT promotion_id uuid, OUT from_tier text, OUT evidence jsonb,
    OUT at timestamptz, OUT refusal text
) LANGUAGE plpgsql SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    me acting_context := acting(p_tenant);
    rules jsonb := promotion_rules(p_tenant);
    order_of text[] := '{task,session,longterm,archive}';
    x memory_effectivechunk;
    judged record;
BEGIN
    IF (me.kind = 'human' AND me.roles && '{reviewer,admin}'
        OR me.kind = 'agent' AND rules -> 'promoting_agents' ? me.name) IS NOT TRUE THEN
        refusal := 'not_permitted'; RETURN;
    END IF;
    SELECT * INTO x FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = p_chunk FOR NO KEY UPDATE;
    IF NOT FOUND OR me.kind = 'agent' AND NOT is_heard_by(p_tenant, x) THEN refusal := 'no_such_chunk'; RETURN; END IF;
    at := clock_timestamp();
    from_tier := x.tier;
    SELECT * INTO STRICT judged FROM judge_promotions(p_tenant, ARRAY[p_chunk], at);
    evidence := judged.evidence;
    refusal := CASE
        WHEN x.is_retracted THEN 'retracted'
        WHEN x.is_quarantined THEN 'quarantined'
        WHEN x.superseded_by IS NOT NULL THEN 'superseded'
        WHEN x.expires_at <= at THEN 'expired'
        WHEN x.tier = p_tier THEN 'same_tier'
        WHEN p_tier = 'archive' AND (x.is_core OR x.block_label IS NOT NULL) THEN 'core'
        -- up, or out of the archive: but back to the tier where everything begins
        WHEN p_tier IN ('session', 'longterm') AND (x.tier = 'archive'
                OR array_position(order_of, p_tier) > array_position(order_of, x.tier))
            AND (evidence ->> 'trust')::numeric < (rules ->> 'low_trust')::numeric THEN 'low_trust' END;
    IF refusal IS NOT NULL THEN RETURN; END IF;
    promotion_id := new_id();
    INSERT INTO memory_promotion (tenant_id, id, chunk_id, number, kind, from_tier, to_tier, reason, evidence,
        promoter_kind, promoted_by, promoter, at)
    VALUES (p_tenant, promotion_id, p_chunk, judged.number, 'manual', x.tier, p_tier, p_reason, promote_chunk.evidence,
        me.kind, me.id, me.name, promote_chunk.at);
    PERFORM set_tier(p_tenant, ARRAY[p_chunk], ARRAY[p_tier]);
    PERFORM queue_promotions(p_tenant, ARRAY[p_chunk]);
    PERFORM owe_entry(p_tenant, 'promotion', p_chunk::text);
END $$;
