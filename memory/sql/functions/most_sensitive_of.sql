-- executable by: suture_app
-- The sensitivity of the most sensitive of these memories: chunks, decisions, tasks and artifacts by id.
CREATE OR REPLACE FUNCTION most_sensitive_of(p_tenant uuid, p_memories uuid[]) RETURNS text LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE found int;
BEGIN
    PERFORM require_tenant(p_tenant);
    -- Most are chunks: look into the other tables only for other ids.
    SELECT max(array_position('{none,low,high,secret}'::text[], coalesce(
        (SELECT x.sensitivity FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.id = m.id),
        (SELECT x.sensitivity FROM memory_effectivedecision x WHERE x.tenant_id = p_tenant AND x.id = m.id),
        (SELECT x.sensitivity FROM memory_effectivetask x WHERE x.tenant_id = p_tenant AND x.id = m.id),
        (SELECT x.sensitivity FROM memory_artifact x WHERE x.tenant_id = p_tenant AND x.id = m.id)
    ))) INTO found FROM unnest(p_memories) m (id);
    RETURN coalesce(('{none,low,high,secret}'::text[])[found], 'none');
END $$;
