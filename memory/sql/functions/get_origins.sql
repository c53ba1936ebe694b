-- What the spaces know of some chunks beside their words, for a reader who may see them: who said them and what they
-- refer to, and, if p_with_places, the number of each in its session, from 0: how many chunks that this reader may see are
-- before it. Numbers end at 10,000.
CREATE OR REPLACE FUNCTION get_origins(
    p_tenant uuid, p_ids uuid[], p_listening text[], p_include_quarantined boolean, p_with_places boolean
) RETURNS TABLE (chunk_id uuid, speaker text, refs text[], place int) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_sensitivities text[] := labels_heard(p_tenant, p_listening, p_include_quarantined);
    v_tenant uuid := p_tenant;
BEGIN
    RETURN QUERY
    SELECT x.id, e.actor_id, coalesce(e.refs, '{}'), CASE WHEN p_with_places AND x.session_id IS NOT NULL THEN (
        SELECT count(*)::int FROM (
            SELECT FROM memory_effectivechunk b
            WHERE b.tenant_id = v_tenant AND b.session_id = x.session_id AND (b.ts, b.id) < (x.ts, x.id)
              AND is_seen(b, p_listening, v_sensitivities, p_include_quarantined)
            LIMIT 10000) before) END
    FROM unnest(p_ids) i (id)
    CROSS JOIN LATERAL (
        SELECT y.id, y.event_id, y.session_id, y.ts FROM memory_effectivechunk y
        WHERE y.tenant_id = v_tenant AND y.id = i.id
          AND is_seen(y, p_listening, v_sensitivities, p_include_quarantined) LIMIT 1) x
    LEFT JOIN LATERAL (
        SELECT o.actor_id, o.refs FROM event_of(v_tenant, x.event_id) o LIMIT 1) e ON true;
END $$;

ALTER FUNCTION get_origins OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION get_origins TO suture_app;
