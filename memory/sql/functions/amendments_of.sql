-- executable by: suture_app
-- The amends in effect of the text of an agent's own memories, oldest first: for the agent itself, and for people with a
-- role. An amend by another agent is not confirmed until a person approves it, or the agent or a person edits the memory
-- after it.
CREATE OR REPLACE FUNCTION amendments_of(p_tenant uuid, p_chunks uuid[]) RETURNS TABLE (
    chunk_id uuid, edit_id uuid, amender_kind text, amender text, amended_at timestamptz, is_confirmed boolean
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    RETURN QUERY
    WITH applied AS (
        SELECT m.id AS memory, e.id, e.op, e.content_id, e.proposer_kind, e.proposer, a.applied_at,
            e.proposer_kind = 'human' OR e.proposed_by = m.agent_id OR EXISTS (
                SELECT FROM governance_verdict v
                WHERE v.tenant_id = p_tenant AND v.edit_id = e.id AND v.decider_kind = 'human') AS is_trusted
        FROM unnest(p_chunks) i (id)
        CROSS JOIN LATERAL (
            SELECT y.id, y.agent_id FROM memory_agentmemory y WHERE y.tenant_id = p_tenant AND y.id = i.id LIMIT 1) m
        CROSS JOIN LATERAL applied_edits(p_tenant, ARRAY[m.id], NULL) a
        CROSS JOIN LATERAL (
            SELECT y.* FROM governance_edit y WHERE y.tenant_id = p_tenant AND y.id = a.id OFFSET 0) e
        WHERE (me.kind <> 'agent' OR m.agent_id = me.id)
          AND NOT a.id = ANY (cancelled_edits(p_tenant, ARRAY[m.id], NULL))
    )
    SELECT a.memory, a.id, a.proposer_kind, a.proposer, a.applied_at, a.is_trusted OR EXISTS (
        SELECT FROM applied later WHERE later.memory = a.memory AND later.is_trusted AND later.applied_at > a.applied_at)
    FROM applied a WHERE a.op = 'amend' AND a.content_id IS NOT NULL ORDER BY a.applied_at, a.id;
END $$;
