-- executable by: suture_owner
-- Every row that differs from expected_capsules. The ledger entry of an expiry or a warning is a little later than the
-- time in the row, so only whether there is a time is compared.
CREATE OR REPLACE FUNCTION capsules_drift(p_tenant uuid) RETURNS TABLE (kind text, id uuid, problem text) LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT 'capsule', coalesce(x.id, k.id), d.why
    FROM (SELECT * FROM capsules_effectivecapsule y WHERE y.tenant_id = p_tenant) x
    FULL JOIN expected_capsules(p_tenant) k ON k.id = x.id
    CROSS JOIN LATERAL (SELECT CASE
        WHEN x.id IS NULL THEN 'missing'
        WHEN k.id IS NULL THEN 'without a record'
        WHEN (x.scope, x.subject_type, x.subject_id, x.project_id, x.author_kind, x.authored_by, x.author, x.created_at,
              x.expires_at, x.sensitivity, x.may_forward, x.forwards_id, x.item_count, x.audience_count)
            IS DISTINCT FROM (k.scope, k.subject_type, k.subject_id, k.project_id, k.author_kind, k.authored_by,
              k.author, k.created_at, k.expires_at, k.sensitivity, k.may_forward, k.forwards_id, k.item_count,
              k.audience_count) THEN 'metadata'
        WHEN (x.status, x.revoked_at, x.expired_at IS NULL, x.warned_at IS NULL)
            IS DISTINCT FROM (k.status, k.revoked_at, k.expired_at IS NULL, k.warned_at IS NULL) THEN 'status'
        WHEN (x.is_retracted, x.is_quarantined, x.blocked_channels)
            IS DISTINCT FROM (k.is_retracted, k.is_quarantined, k.blocked_channels) THEN 'visibility'
        WHEN (x.note_id, x.risks_id) IS DISTINCT FROM (k.note_id, k.risks_id) THEN 'text'
        WHEN x.importance <> k.importance THEN 'importance'
        WHEN x.edits_applied <> k.edits_applied THEN 'edits_applied' END AS why) d
    WHERE d.why IS NOT NULL;
END $$;
