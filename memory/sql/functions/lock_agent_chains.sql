-- Lock the chains of the agents whose own memories are among some chunks, by name, until the end of the transaction;
-- return the chunks with all memories that an edit of them may hide or restore: the consolidations of them, and what
-- these superseded or updated, and what repeats them. While the chains are locked, no others are added. Chains are always locked before their memories.
CREATE OR REPLACE FUNCTION lock_agent_chains(p_tenant uuid, p_chunks uuid[]) RETURNS uuid[] LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    agents uuid[];
    related uuid[] := p_chunks;
BEGIN
    SELECT array_agg(DISTINCT m.agent_id) INTO agents FROM unnest(p_chunks) i (id) CROSS JOIN LATERAL (
        SELECT y.agent_id FROM memory_agentmemory y WHERE y.tenant_id = p_tenant AND y.id = i.id LIMIT 1) m;
    IF agents IS NOT NULL THEN
        PERFORM 1 FROM governance_chain c WHERE c.tenant_id = p_tenant AND c.name = ANY (ARRAY(
            SELECT 'agent:' || a.slug FROM governance_agent a WHERE a.tenant_id = p_tenant AND a.id = ANY (agents)))
        ORDER BY c.name FOR UPDATE;
        related := p_chunks || consolidations_above(p_tenant, p_chunks);
    END IF;
    related := related || superseded_below(p_tenant, related);
    RETURN related || repeats_of(p_tenant, related, 'copy') || repeats_of(p_tenant, related, 'quote');
END $$;
