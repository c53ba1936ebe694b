-- The principals that have a userset at the statement's time, by name: itself, or who stands in the relation or in one that
-- implies it. At most p_limit.
CREATE OR REPLACE FUNCTION principals_with(p_tenant uuid, p_userset text, p_limit int)
RETURNS TABLE (principal text, relation text, valid_until timestamptz) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_object text := split_part(p_userset, '#', 1);
    v_relation text := nullif(split_part(p_userset, '#', 2), '');
BEGIN
    IF v_relation IS NULL THEN
        RETURN QUERY SELECT v_object, NULL::text, NULL::timestamptz;
        RETURN;
    END IF;
    RETURN QUERY
    SELECT r.principal, r.relation, r.valid_until FROM (
        SELECT v_relation AS name
        UNION
        SELECT i.relation FROM governance_impliedrelation i
        WHERE i.tenant_id = p_tenant AND i.object_type = split_part(v_object, ':', 1) AND i.implies = v_relation) n
    CROSS JOIN LATERAL (
        SELECT y.* FROM governance_relationtuple y
        WHERE y.tenant_id = p_tenant AND y.object = v_object AND y.relation = n.name
          AND y.valid_from <= statement_timestamp()
          AND (y.valid_until IS NULL OR y.valid_until > statement_timestamp())
          AND NOT EXISTS (
            SELECT FROM governance_relationrevocation v WHERE v.tenant_id = p_tenant AND v.tuple_id = y.id)
        OFFSET 0) r
    ORDER BY 1, 2 LIMIT p_limit;
END $$;
