-- The audience of what the actor received in a session, and of what was said there: in the context bundles that it built for
-- the session, among the deliveries that are recorded, and in the session's newest 10,000 chunks that it hears. What it
-- writes from these is for readers who hear each.
CREATE OR REPLACE FUNCTION audience_given(p_tenant uuid, p_session_id text) RETURNS int[] LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    me acting_context := acting(p_tenant);
    v_tenant uuid := p_tenant;
    v_reader reader := reader_of(p_tenant, me.channels);
BEGIN
    IF p_session_id IS NULL OR NOT EXISTS (SELECT FROM governance_audience a WHERE a.tenant_id = v_tenant) THEN
        RETURN NULL;
    END IF;
    RETURN (
        SELECT array_agg(DISTINCT n ORDER BY n) FROM (
            SELECT i.memory_id AS id FROM memory_contextbundle b CROSS JOIN LATERAL (
                SELECT y.memory_id FROM memory_contextbundleitem y
                WHERE y.tenant_id = v_tenant AND y.bundle_id = b.id OFFSET 0) i
            WHERE b.tenant_id = v_tenant AND b.actor_id = me.id AND b.request ->> 'session_id' = p_session_id
            UNION
            SELECT d.chunk_id FROM memory_delivery d
            WHERE d.tenant_id = v_tenant AND d.session_id = p_session_id AND d.receiver_id = me.id
            UNION
            (SELECT x.id FROM memory_effectivechunk x
             WHERE x.tenant_id = v_tenant AND x.session_id = p_session_id AND NOT x.is_retracted
               AND x.channel = ANY (me.channels) AND hears(v_reader, x.audience)
             ORDER BY x.ts DESC LIMIT 10000)
        ) m
        CROSS JOIN LATERAL unnest(coalesce(
            (SELECT x.audience FROM memory_effectivechunk x WHERE x.tenant_id = v_tenant AND x.id = m.id),
            (SELECT x.audience FROM memory_effectivedecision x WHERE x.tenant_id = v_tenant AND x.id = m.id),
            (SELECT x.audience FROM memory_effectivetask x WHERE x.tenant_id = v_tenant AND x.id = m.id),
            (SELECT audience_of_event(v_tenant, x.event_id) FROM memory_artifact x
             WHERE x.tenant_id = v_tenant AND x.id = m.id))) n);
END $$;
