-- The chunks that had other words or other readers at a time than now: an edit was applied to them or to a decision of
-- their memory since, or they expired.
CREATE OR REPLACE FUNCTION changed_since(p_tenant uuid, p_at timestamptz) RETURNS SETOF uuid LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN QUERY
    WITH edited AS MATERIALIZED (
        SELECT DISTINCT e.target_id FROM governance_editstate s
        JOIN governance_edit e ON e.tenant_id = p_tenant AND e.id = s.edit_id
        WHERE s.tenant_id = p_tenant AND s.status = 'approved' AND s.applied_at > p_at
    )
    SELECT c.id FROM edited t CROSS JOIN LATERAL chunk_of(p_tenant, t.target_id) c
    UNION
    SELECT c.id FROM edited t JOIN memory_decision d ON d.tenant_id = p_tenant AND d.id = t.target_id
    JOIN memory_chunk c ON c.tenant_id = p_tenant AND c.event_id = d.event_id
    UNION
    SELECT x.id FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.is_expired AND x.expires_at > p_at;
END $$;
