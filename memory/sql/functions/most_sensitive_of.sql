-- The sensitivity of the most sensitive of these memories: chunks, decisions, tasks and artifacts by id.
CREATE OR REPLACE FUNCTION most_sensitive_of(p_tenant uuid, p_memories uuid[]) RETURNS text LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE found int;
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT max(array_position('{none,low,high,secret}'::text[], m.sensitivity)) INTO found FROM (
        SELECT x.sensitivity FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.id = ANY (p_memories)
        UNION ALL
        SELECT x.sensitivity FROM memory_effectivedecision x WHERE x.tenant_id = p_tenant AND x.id = ANY (p_memories)
        UNION ALL
        SELECT x.sensitivity FROM memory_effectivetask x WHERE x.tenant_id = p_tenant AND x.id = ANY (p_memories)
        UNION ALL
        SELECT x.sensitivity FROM memory_artifact x WHERE x.tenant_id = p_tenant AND x.id = ANY (p_memories)
    ) m;
    RETURN coalesce(('{none,low,high,secret}'::text[])[found], 'none');
END $$;

ALTER FUNCTION most_sensitive_of OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION most_sensitive_of TO suture_app;
