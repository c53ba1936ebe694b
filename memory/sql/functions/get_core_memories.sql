-- executable by: suture_app
-- The core memories of an agent that readers get: those that are not superseded, in order of the labels, newest first.
CREATE OR REPLACE FUNCTION get_core_memories(p_tenant uuid, p_agent uuid, p_listening text[]) RETURNS SETOF agent_memory_row
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    v_reader reader := reader_of(p_tenant, p_listening);
BEGIN
    PERFORM require_own_chain(p_tenant, p_agent);
    RETURN QUERY
    SELECT * FROM agent_memory_rows(v_tenant, ARRAY(
        SELECT x.id FROM memory_effectivechunk x
        WHERE x.tenant_id = v_tenant AND x.recorded_by = p_agent AND x.is_core AND NOT x.is_superseded),
        p_listening, v_reader, false, false) r
    ORDER BY array_position('{persona,user_profile,goals,knowledge}', r.block_label), r.seq DESC;
END $$;
