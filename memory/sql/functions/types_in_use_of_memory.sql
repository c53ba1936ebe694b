-- The types of subjects that memory is about, from type to type by the index.
CREATE OR REPLACE FUNCTION types_in_use_of_memory(p_tenant uuid) RETURNS SETOF text LANGUAGE plpgsql STABLE SECURITY DEFINER
AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    WITH RECURSIVE s (type) AS (
        SELECT min(x.subject_type) FROM memory_effectivechunk x
        WHERE x.tenant_id = p_tenant AND NOT x.is_retracted AND x.subject_id IS NOT NULL
        UNION ALL
        SELECT (SELECT min(x.subject_type) FROM memory_effectivechunk x
                WHERE x.tenant_id = p_tenant AND NOT x.is_retracted AND x.subject_id IS NOT NULL
                  AND x.subject_type > s.type)
        FROM s WHERE s.type IS NOT NULL
    )
    SELECT s.type FROM s WHERE s.type IS NOT NULL;
END $$;
