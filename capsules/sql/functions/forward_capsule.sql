-- executable by: suture_app
-- Forward a capsule to any other agents: with its own words, all its items or some of them, and never beyond its expiry.
-- Returns the refusal, or the faults with their places, or the new capsule's times.
CREATE OR REPLACE FUNCTION forward_capsule(
    p_tenant uuid, p_original uuid, p_id uuid, p_items json, p_audience json, p_ttl_days int,
    p_may_forward boolean
) RETURNS TABLE (
    refusal text, place text, fault text, created_at timestamptz, expires_at timestamptz, item_count int,
    audience_count int
) LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting(p_tenant);
    c capsules_capsule;
    audience uuid[];
    chosen json := p_items;
BEGIN
    -- 1. Lock the capsule: a revocation either waits and then finds the new capsule, or came first and is seen here.
    PERFORM 1 FROM capsules_effectivecapsule x WHERE x.tenant_id = p_tenant AND x.id = p_original FOR SHARE;
    SELECT * INTO c FROM capsules_capsule x WHERE x.tenant_id = p_tenant AND x.id = p_original;
    refusal := capsule_refusal(p_tenant, p_original, 'agent', me.id);
    IF refusal IS NULL AND NOT EXISTS (
        SELECT 1 FROM capsules_capsuleaudience a
        WHERE a.tenant_id = p_tenant AND a.agent_id = me.id AND a.capsule_id = p_original
    ) THEN refusal := 'outside'; END IF;  -- the author creates another capsule instead
    IF refusal IS NULL THEN
        -- capsule_refusal lets an author in its own audience read an ended capsule
        SELECT CASE WHEN x.status <> 'active' THEN x.status WHEN x.expires_at <= statement_timestamp() THEN 'expired'
            WHEN NOT x.may_forward THEN 'not_forwardable' END
        INTO refusal FROM capsules_effectivecapsule x WHERE x.tenant_id = p_tenant AND x.id = p_original;
    END IF;
    IF refusal IS NOT NULL THEN RETURN NEXT; RETURN; END IF;
    -- 2. Report all faults at once.
    RETURN QUERY
    SELECT NULL, n.place, 'not_among_them', NULL::timestamptz, NULL::timestamptz, NULL::int, NULL::int
    FROM json_to_recordset(p_items) AS n (place text, kind text, id uuid)
    WHERE NOT EXISTS (
        SELECT 1 FROM capsules_capsuleitem i WHERE i.tenant_id = p_tenant AND i.capsule_id = p_original
          AND i.item_id = n.id AND i.kind = n.kind)
    UNION ALL
    SELECT NULL, a.place, coalesce(a.fault, 'yourself'), NULL, NULL, NULL, NULL
    FROM resolve_audience(p_tenant, p_audience) a WHERE a.fault IS NOT NULL OR a.agent_id = me.id;
    IF FOUND THEN RETURN; END IF;
    -- 3. Write the record.
    IF p_items IS NULL THEN
        SELECT json_agg(json_build_object('at', i.position, 'kind', i.kind, 'id', i.item_id)) INTO chosen
        FROM capsules_capsuleitem i WHERE i.tenant_id = p_tenant AND i.capsule_id = p_original;
    END IF;
    SELECT array_agg(a.agent_id) INTO audience FROM resolve_audience(p_tenant, p_audience) a;
    c.id := p_id; c.forwards_id := p_original; c.author_kind := 'agent'; c.authored_by := me.id;
    c.author := me.name; c.created_at := statement_timestamp();
    c.may_forward := p_may_forward; c.ttl_days := coalesce(p_ttl_days, c.ttl_days);
    c.expires_at := least(c.expires_at, c.created_at + make_interval(hours => 24 * c.ttl_days));
    PERFORM insert_capsule(c, chosen, audience);
    PERFORM refold_one_capsule(p_tenant, p_id);
    created_at := c.created_at; expires_at := c.expires_at; item_count := json_array_length(chosen);
    audience_count := cardinality(audience);
    RETURN NEXT;
END $$;
