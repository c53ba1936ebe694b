-- The chunks beside some chunks (turns_beside) that may borrow words from them (could_lend_to), whatever is hidden now.
-- An edit of a chunk changes the context of these and no others, because it moves no chunk. A new chunk does.
CREATE OR REPLACE FUNCTION borrowers_of(p_tenant uuid, p_chunks uuid[]) RETURNS uuid[] LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN ARRAY(
        SELECT DISTINCT t.id FROM unnest(p_chunks) i (id)
        CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k
        CROSS JOIN LATERAL turns_beside(k) t
        CROSS JOIN LATERAL chunk_of(p_tenant, t.id) b
        CROSS JOIN LATERAL (
            SELECT FROM memory_effectivechunk n WHERE n.tenant_id = p_tenant AND n.id = i.id AND could_lend_to(n, b)
            LIMIT 1) lending
        ORDER BY 1);
END $$;
