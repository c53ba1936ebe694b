-- What an agent may need without asking: the newest of its own memories that nothing has superseded, and the newest
-- chunks in the channels that it listens to, p_limit of each.
CREATE OR REPLACE FUNCTION recent_memories(p_tenant uuid, p_agent uuid, p_listening text[], p_limit int) RETURNS SETOF uuid
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    heard text[] := sensitivities_heard(p_tenant, p_listening);
BEGIN
    PERFORM require_own_chain(p_tenant, p_agent);
    RETURN QUERY
    (SELECT x.id FROM memory_effectivechunk x
     WHERE x.tenant_id = v_tenant AND x.recorded_by = p_agent AND NOT x.is_superseded AND NOT x.is_retracted
       AND x.seq IS NOT NULL AND is_seen_in_chain(x, p_listening, heard, false, false)
     ORDER BY x.seq DESC LIMIT p_limit)
    UNION
    (SELECT x.id FROM memory_effectivechunk x
     WHERE x.tenant_id = v_tenant AND x.channel = ANY (p_listening) AND is_seen(x, p_listening, heard, false)
     ORDER BY x.ts DESC, x.id DESC LIMIT p_limit);
END $$;

ALTER FUNCTION recent_memories OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION recent_memories TO suture_app;
