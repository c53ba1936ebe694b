-- Whether only its recorder has retracted a chunk of a memory with a key: then the same words may be recorded again, as
-- in any store whose entries are deleted and set again. Without a key, or by anybody else, a retract keeps them out.
CREATE OR REPLACE FUNCTION is_taken_back(p_tenant uuid, p_chunk uuid) RETURNS boolean LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE k memory_chunk;
BEGIN
    SELECT * INTO k FROM chunk_of(p_tenant, p_chunk);
    RETURN EXISTS (
        SELECT FROM memory_relation r
        WHERE r.tenant_id = p_tenant AND r.later_id = (memory_with(p_tenant, p_chunk))[1] AND r.key IS NOT NULL
    ) AND NOT EXISTS (
        SELECT FROM applied_edits(p_tenant, ARRAY[p_chunk], NULL) a
        CROSS JOIN LATERAL (
            SELECT e.proposed_by FROM governance_edit e WHERE e.tenant_id = p_tenant AND e.id = a.id LIMIT 1) e
        WHERE a.op = 'retract' AND e.proposed_by <> k.recorded_by);
END $$;
