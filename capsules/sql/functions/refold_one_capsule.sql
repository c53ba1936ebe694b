-- Update the projection of one capsule from its fold.
CREATE OR REPLACE FUNCTION refold_one_capsule(p_tenant uuid, p_capsule uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
BEGIN
    UPDATE capsules_effectivecapsule x SET is_retracted = f.is_retracted, is_quarantined = f.is_quarantined,
        blocked_channels = f.blocked_channels, note_id = f.note_id, risks_id = f.risks_id, importance = f.importance,
        edits_applied = f.edits_applied
    FROM fold_capsule(p_tenant, p_capsule) f WHERE x.tenant_id = p_tenant AND x.id = p_capsule;
END $$;
