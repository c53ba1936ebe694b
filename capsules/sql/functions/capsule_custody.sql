-- executable by: suture_app
-- Who handed a capsule to whom: the capsule and those that it was forwarded from, the original first, each with at most
-- p_names names of its audience. Nothing for a capsule that is refused to the reader.
CREATE OR REPLACE FUNCTION capsule_custody(p_tenant uuid, p_capsule uuid, p_names int) RETURNS TABLE (
    capsule_id uuid, author text, given_at timestamptz, audience text[], audience_count int
) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    me acting_context := acting(p_tenant);
    ids uuid[] := p_capsule || ARRAY(SELECT capsule_origins(p_tenant, p_capsule));
BEGIN
    IF capsule_refusal(p_tenant, p_capsule, me.kind, me.id) IS NOT NULL THEN RETURN; END IF;
    RETURN QUERY
    SELECT x.id, x.author, x.created_at, ARRAY(
            SELECT g.slug::text FROM (
                SELECT a.agent_id FROM capsules_capsuleaudience a
                WHERE a.tenant_id = p_tenant AND a.capsule_id = x.id LIMIT p_names
            ) n
            CROSS JOIN LATERAL (
                SELECT y.slug FROM governance_agent y WHERE y.tenant_id = p_tenant AND y.id = n.agent_id OFFSET 0
            ) g
            ORDER BY g.slug),
        x.audience_count
    FROM unnest(ids) AS i (id) CROSS JOIN LATERAL (
        SELECT y.* FROM capsules_effectivecapsule y WHERE y.tenant_id = p_tenant AND y.id = i.id LIMIT 1) x
    ORDER BY x.created_at, x.id;
END $$;
