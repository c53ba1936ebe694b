-- executable by: suture_app
-- The speakers of some chunks, for a reader who may see them.
CREATE OR REPLACE FUNCTION get_speakers(
    p_tenant uuid, p_ids uuid[], p_listening text[], p_include_quarantined boolean
) RETURNS TABLE (chunk_id uuid, speaker text) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_reader reader := reader_including(p_tenant, p_listening, p_include_quarantined);
    v_tenant uuid := p_tenant;
BEGIN
    RETURN QUERY
    SELECT x.id, e.actor_id
    FROM unnest(p_ids) i (id)
    CROSS JOIN LATERAL (
        SELECT y.id, y.event_id FROM memory_effectivechunk y
        WHERE y.tenant_id = v_tenant AND y.id = i.id
          AND is_seen(y, p_listening, v_reader, p_include_quarantined) LIMIT 1) x
    CROSS JOIN LATERAL (SELECT o.actor_id FROM event_of(v_tenant, x.event_id) o LIMIT 1) e;
END $$;
