-- The audience of a decision: those of the chunks of its memory together (own_audience_of_chunk), which an edit of the decision
-- changes too.
CREATE OR REPLACE FUNCTION own_audience_of_decision(p_tenant uuid, p_decision uuid, p_also applied_edit) RETURNS int[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN (
        SELECT array_agg(DISTINCT n ORDER BY n) FROM memory_decision d
        CROSS JOIN LATERAL (
            SELECT c.id FROM memory_chunk c WHERE c.tenant_id = p_tenant AND c.event_id = d.event_id OFFSET 0) k
        CROSS JOIN LATERAL unnest(own_audience_of_chunk(p_tenant, k.id, p_also)) n
        WHERE d.tenant_id = p_tenant AND d.id = p_decision);
END $$;
