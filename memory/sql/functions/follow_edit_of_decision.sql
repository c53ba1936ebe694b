-- After an edit of a decision that took effect: hold what quotes its chunks, which the edit changed too (hold_quotes).
CREATE OR REPLACE FUNCTION follow_edit_of_decision(p_tenant uuid, p_edit uuid) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    PERFORM hold_quotes(p_tenant, ARRAY(
        SELECT k.id FROM governance_edit e CROSS JOIN LATERAL (
            SELECT y.event_id FROM memory_decision y WHERE y.tenant_id = p_tenant AND y.id = e.target_id LIMIT 1) d
        CROSS JOIN LATERAL (
            SELECT c.id FROM memory_chunk c WHERE c.tenant_id = p_tenant AND c.event_id = d.event_id OFFSET 0) k
        WHERE e.tenant_id = p_tenant AND e.id = p_edit));
END $$;
