-- Set the new tiers of chunks in the projection: the tier of each is that of its last promotion (tier_of), which the
-- caller has inserted. The caller holds the rows' locks. No index has the column, so the update writes to none.
CREATE OR REPLACE FUNCTION set_tier(p_tenant uuid, p_chunks uuid[], p_tiers text[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    UPDATE memory_effectivechunk x SET tier = m.tier
    FROM unnest(p_chunks, p_tiers) m (id, tier) WHERE x.tenant_id = p_tenant AND x.id = m.id;
END $$;
