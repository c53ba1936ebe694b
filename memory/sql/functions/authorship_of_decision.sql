-- Whose words a decision has: those of its memory (authorship_of_chunk).
CREATE OR REPLACE FUNCTION authorship_of_decision(
    p_tenant uuid, p_decision uuid, OUT recorder_kind text, OUT recorded_by uuid, OUT targets uuid[],
    OUT is_guarded boolean, OUT is_received boolean
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    SELECT a.* INTO recorder_kind, recorded_by, targets, is_guarded, is_received
    FROM memory_decision d
    CROSS JOIN LATERAL (SELECT c.id FROM memory_chunk c WHERE c.tenant_id = p_tenant AND c.event_id = d.event_id LIMIT 1) k
    CROSS JOIN LATERAL authorship_of_chunk(p_tenant, k.id) a
    WHERE d.tenant_id = p_tenant AND d.id = p_decision;
END $$;
