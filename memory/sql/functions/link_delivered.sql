-- Link what agents recorded in a session after these deliveries, but before a job recorded them (link_repeats): the
-- newest 500 chunks of each session, but those that update others.
CREATE OR REPLACE FUNCTION link_delivered(p_tenant uuid, p_deliveries memory_delivery[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE s record;
BEGIN
    FOR s IN
        SELECT d.receiver_id, d.session_id, min(d.at) AS at FROM unnest(p_deliveries) d
        WHERE d.receiver_kind = 'agent' AND d.session_id IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2
    LOOP
        PERFORM link_repeats(p_tenant, s.receiver_id, s.session_id, ARRAY(
            SELECT n.id FROM (
                SELECT x.id, x.event_id FROM memory_effectivechunk x
                WHERE x.tenant_id = p_tenant AND x.session_id = s.session_id AND x.recorded_by = s.receiver_id
                ORDER BY x.ts DESC, x.id DESC LIMIT 500) n
            CROSS JOIN LATERAL event_of(p_tenant, n.event_id) e
            WHERE e.recorded_at >= s.at AND NOT EXISTS (
                SELECT FROM memory_relation r WHERE r.tenant_id = p_tenant AND r.later_id = n.id AND r.kind = 'update')));
    END LOOP;
END $$;
