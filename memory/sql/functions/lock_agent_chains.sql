-- Lock the chains of the agents whose own memories are among some chunks, by name, until the end of the transaction;
-- return the chunks with all memories that an edit of them may hide, restore or give to other readers: the consolidations
-- of them, what these superseded or updated, and the memories of what was made from them (made_from). While the chains are locked, no others are added. Chains are always locked before their memories.
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
    RETURN related || ARRAY(
        SELECT unnest(chunks_of_memory(p_tenant, k.event_id, k.id))
        FROM unnest(made_from(p_tenant, related)) i (id) CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k);
END $$;
