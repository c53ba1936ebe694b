-- The projection of every capsule of the tenant, computed from the record and the ledger. capsules_drift compares with
-- it.
CREATE OR REPLACE FUNCTION expected_capsules(p_tenant uuid) RETURNS SETOF capsules_effectivecapsule LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
BEGIN
    RETURN QUERY
    WITH from_ledger AS (
        SELECT (e.metadata ->> 'capsule')::uuid AS capsule_id,
            max((e.metadata ->> 'revoked_at')::timestamptz) FILTER (WHERE e.type = 'capsule.revoked') AS revoked_at,
            max(e.ts) FILTER (WHERE e.type = 'capsule.expired') AS expired_at,
            max(e.ts) FILTER (WHERE e.type = 'capsule.expiring') AS warned_at
        FROM governance_entry e
        WHERE e.tenant_id = p_tenant AND e.type IN ('capsule.revoked', 'capsule.expired', 'capsule.expiring')
        GROUP BY 1
    )
    SELECT r.*
    FROM capsules_capsule c
    CROSS JOIN LATERAL fold_capsule(p_tenant, c.id) f
    LEFT JOIN from_ledger t ON t.capsule_id = c.id
    -- not (f(...)).*, which PostgreSQL expands into one call for each column
    CROSS JOIN LATERAL jsonb_populate_record(NULL::capsules_effectivecapsule, to_jsonb(c) || jsonb_build_object(
        'item_count', (SELECT count(*) FROM capsules_capsuleitem i WHERE i.tenant_id = p_tenant AND i.capsule_id = c.id),
        'audience_count',
            (SELECT count(*) FROM capsules_capsuleaudience a WHERE a.tenant_id = p_tenant AND a.capsule_id = c.id),
        'status', CASE WHEN t.revoked_at IS NOT NULL THEN 'revoked' WHEN t.expired_at IS NOT NULL THEN 'expired'
            ELSE 'active' END,
        'revoked_at', t.revoked_at, 'warned_at', t.warned_at,
        'expired_at', CASE WHEN t.revoked_at IS NULL THEN t.expired_at END,
        'note_id', f.note_id, 'risks_id', f.risks_id, 'importance', f.importance, 'is_retracted', f.is_retracted,
        'is_quarantined', f.is_quarantined, 'blocked_channels', f.blocked_channels,
        'edits_applied', f.edits_applied)) r
    WHERE c.tenant_id = p_tenant;
END $$;
