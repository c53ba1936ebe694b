-- The memory of which a chunk is a copy, the first of several; NULL if it is none. The source supersedes its copy
-- permanently. Readers do not get the copy at all once the source says something else or is hidden (is_current).
CREATE OR REPLACE FUNCTION source_of_copy(p_tenant uuid, p_chunk uuid, OUT source_id uuid, OUT is_current boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE sources uuid[] := ARRAY(
    SELECT r.earlier_id FROM memory_relation r
    WHERE r.tenant_id = p_tenant AND r.later_id = p_chunk AND r.kind = 'copy' ORDER BY r.earlier_id);
BEGIN
    IF sources = '{}' THEN RETURN; END IF;
    source_id := sources[1];
    is_current := (SELECT bool_and(is_repeat_current(p_tenant, p_chunk, i.id)) FROM unnest(sources) i (id));
END $$;
