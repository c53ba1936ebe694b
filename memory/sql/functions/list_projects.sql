-- executable by: suture_app
-- The projects of which the reader gets a chunk, in order after p_after, each with the time of its newest such chunk. They
-- are looked up one by one: to group all chunks would read the tenant.
CREATE OR REPLACE FUNCTION list_projects(p_tenant uuid, p_listening text[], p_prefix text, p_after text, p_limit int)
RETURNS TABLE (project_id text, updated_at timestamptz) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    v_reader reader := reader_of(p_tenant, p_listening);
    next_id text := coalesce(p_after, '');
    listed int := 0;
BEGIN
    WHILE listed < p_limit LOOP
        next_id := (
            SELECT x.project_id FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant AND NOT x.is_retracted AND x.project_id IS NOT NULL AND x.project_id > next_id
            ORDER BY x.project_id LIMIT 1);
        EXIT WHEN next_id IS NULL;
        CONTINUE WHEN p_prefix IS NOT NULL AND NOT starts_with(next_id, p_prefix);
        updated_at := (
            SELECT x.ts FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant AND x.project_id = next_id
              AND is_seen(x, p_listening, v_reader, false) ORDER BY x.ts DESC, x.id DESC LIMIT 1);
        CONTINUE WHEN updated_at IS NULL;
        project_id := next_id; listed := listed + 1;
        RETURN NEXT;
    END LOOP;
END $$;
