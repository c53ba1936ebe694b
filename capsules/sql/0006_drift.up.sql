-- Holding the capsules that readers see against the record: the capsule, its items, its audience and its edits, and for
-- what happened to it the ledger.

GRANT DELETE ON capsules_effectivecapsule TO suture_gate;  -- a repair makes a row anew

CREATE FUNCTION expected_capsules(p_tenant uuid) RETURNS SETOF capsules_effectivecapsule LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN QUERY
    WITH told AS (
        SELECT (e.metadata ->> 'capsule')::uuid AS capsule_id,
            max((e.metadata ->> 'revoked_at')::timestamptz) FILTER (WHERE e.type = 'capsule.revoked') AS revoked_at,
            max(e.ts) FILTER (WHERE e.type = 'capsule.expired') AS expired_at,
            max(e.ts) FILTER (WHERE e.type = 'capsule.expiring') AS warned_at
        FROM governance_entry e
        WHERE e.tenant_id = p_tenant AND e.type IN ('capsule.revoked', 'capsule.expired', 'capsule.expiring')
        GROUP BY 1
    )
    SELECT (jsonb_populate_record(NULL::capsules_effectivecapsule, to_jsonb(c) || jsonb_build_object(
        'item_count', (SELECT count(*) FROM capsules_capsuleitem i WHERE i.tenant_id = p_tenant AND i.capsule_id = c.id),
        'audience_count',
            (SELECT count(*) FROM capsules_capsuleaudience a WHERE a.tenant_id = p_tenant AND a.capsule_id = c.id),
        'status', CASE WHEN t.revoked_at IS NOT NULL THEN 'revoked' WHEN t.expired_at IS NOT NULL THEN 'expired'
            ELSE 'active' END,
        'revoked_at', t.revoked_at, 'warned_at', t.warned_at,
        'expired_at', CASE WHEN t.revoked_at IS NULL THEN t.expired_at END,
        'note_id', f.note_id, 'risks_id', f.risks_id, 'importance', f.importance, 'is_retracted', f.is_retracted,
        'is_quarantined', f.is_quarantined, 'blocked_channels', f.blocked_channels,
        'edits_applied', f.edits_applied))).*
    FROM capsules_capsule c
    CROSS JOIN LATERAL fold_capsule(p_tenant, c.id, '{}') f
    LEFT JOIN told t ON t.capsule_id = c.id
    WHERE c.tenant_id = p_tenant;
END $$;

-- Every row that is not what is expected. When a row expired or was warned of stands in it to the moment, in the ledger
-- a little later: whether it did is compared.
CREATE FUNCTION capsules_drift(p_tenant uuid) RETURNS TABLE (kind text, id uuid, problem text) LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
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

-- Rebuild what capsules_drift reports; answers how many.
CREATE FUNCTION repair_capsules(p_tenant uuid) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE bad uuid[];
BEGIN
    bad := ARRAY(SELECT d.id FROM capsules_drift(p_tenant) d);
    DELETE FROM capsules_effectivecapsule x WHERE x.tenant_id = p_tenant AND x.id = ANY (bad);
    INSERT INTO capsules_effectivecapsule SELECT k.* FROM expected_capsules(p_tenant) k WHERE k.id = ANY (bad);
    RETURN cardinality(bad);
END $$;

SELECT governance_hand_to_gate(ARRAY[
    'expected_capsules(uuid)', 'capsules_drift(uuid)', 'repair_capsules(uuid)'
]::regprocedure[]);
SET ROLE suture_gate;
GRANT EXECUTE ON FUNCTION capsules_drift(uuid), repair_capsules(uuid) TO suture_owner;
RESET ROLE;
