-- Update the projection of one decision from its fold.
CREATE OR REPLACE FUNCTION refold_one_decision(p_tenant uuid, p_decision uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
BEGIN
    PERFORM 1 FROM memory_effectivedecision x WHERE x.tenant_id = p_tenant AND x.id = p_decision FOR UPDATE;
    PERFORM store_rewordings_of(p_tenant, d.id, d.event_id, d.content_id, d.details_id) FROM memory_decision d
    WHERE d.tenant_id = p_tenant AND d.id = p_decision;
    UPDATE memory_effectivedecision x SET is_retracted = f.is_retracted, is_quarantined = f.is_quarantined,
        blocked_channels = f.blocked_channels, content_id = f.content_id, details_id = f.details_id,
        importance = f.importance, edits_applied = f.edits_applied, status = f.status,
        audience = audience_of_event(p_tenant, x.event_id)
    FROM fold_decision(p_tenant, p_decision) f WHERE x.tenant_id = p_tenant AND x.id = p_decision;
END $$;
