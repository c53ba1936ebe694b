-- executable by: suture_app
-- The capsules that the acting agent was given and may still read, newest first, those before p_before_id; for people
-- with a role, all capsules of the tenant.
CREATE OR REPLACE FUNCTION get_available_capsules(
    p_tenant uuid, p_subject_type text, p_subject_id text, p_scope text, p_project_id text, p_author text,
    p_listening text[], p_include_quarantined boolean, p_before_id uuid, p_limit int
) RETURNS SETOF capsule_row LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v_reader reader := reader_including(p_tenant, p_listening, p_include_quarantined);
    me acting_context := acting(p_tenant);
    reader uuid := CASE me.kind WHEN 'agent' THEN me.id END;  -- NULL for people, who read all of them
    v_tenant uuid := p_tenant;
    moment timestamptz := statement_timestamp();
    ids uuid[];
BEGIN
    IF reader IS NULL OR p_subject_id IS NOT NULL THEN
        -- Few capsules are about one subject, so look up for each whether the agent was given it. OFFSET 0 keeps the
        -- planner from choosing a join by its statistics.
        SELECT array_agg(n.id) INTO ids FROM (
            SELECT x.id FROM capsules_effectivecapsule x
            WHERE x.tenant_id = v_tenant AND x.status = 'active' AND NOT x.is_retracted AND x.expires_at > moment
              AND (p_subject_type IS NULL OR x.subject_type = p_subject_type)
              AND (p_subject_id IS NULL OR x.subject_id = p_subject_id)
              AND (p_scope IS NULL OR x.scope = p_scope) AND (p_author IS NULL OR x.author = p_author)
              AND (p_project_id IS NULL OR x.project_id = p_project_id)
              AND is_capsule_listed(x, p_listening, v_reader, p_include_quarantined)
              AND (p_before_id IS NULL OR x.id < p_before_id)
              AND (reader IS NULL OR (
                  SELECT true FROM capsules_capsuleaudience a
                  WHERE a.tenant_id = v_tenant AND a.agent_id = reader AND a.capsule_id = x.id OFFSET 0))
            ORDER BY x.id DESC LIMIT p_limit) n;
    ELSE
        -- Walk the capsules that the agent was given, newest first, until there are enough.
        SELECT array_agg(n.id) INTO ids FROM (
            SELECT x.id FROM (
                SELECT a.capsule_id FROM capsules_capsuleaudience a
                WHERE a.tenant_id = v_tenant AND a.agent_id = reader AND a.expires_at > moment
                  AND (p_before_id IS NULL OR a.capsule_id < p_before_id)
                ORDER BY a.capsule_id DESC OFFSET 0
            ) g
            CROSS JOIN LATERAL (
                SELECT y.id FROM capsules_effectivecapsule y
                WHERE y.tenant_id = v_tenant AND y.id = g.capsule_id AND y.status = 'active' AND NOT y.is_retracted
                  -- IS TRUE keeps the planner from using the index on the expiry instead of the primary key
                  AND (y.expires_at > moment) IS TRUE
                  AND (p_subject_type IS NULL OR y.subject_type = p_subject_type)
                  AND (p_scope IS NULL OR y.scope = p_scope) AND (p_author IS NULL OR y.author = p_author)
                  AND (p_project_id IS NULL OR y.project_id = p_project_id)
                  AND is_capsule_listed(y, p_listening, v_reader, p_include_quarantined)
                OFFSET 0
            ) x
            ORDER BY g.capsule_id DESC LIMIT p_limit) n;
    END IF;
    RETURN QUERY SELECT * FROM capsule_rows(v_tenant, ids, p_listening, v_reader, true);
END $$;
