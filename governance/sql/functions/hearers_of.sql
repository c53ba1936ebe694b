-- The principals that hear each of some audiences now: those that they name, and those in the relations that they name; NULL
-- or empty, the default, is every principal with a relation. p_usersets are those of the number -1 (known_audience).
CREATE OR REPLACE FUNCTION hearers_of(p_tenant uuid, p_audience int[], p_usersets text[]) RETURNS SETOF text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN QUERY
    WITH current AS (
        SELECT r.principal, r.object, r.relation FROM governance_relationtuple r
        WHERE r.tenant_id = p_tenant AND r.valid_from <= statement_timestamp()
          AND (r.valid_until IS NULL OR r.valid_until > statement_timestamp())
          AND r.id NOT IN (SELECT v.tuple_id FROM governance_relationrevocation v WHERE v.tenant_id = p_tenant)
    ), named AS (
        SELECT n AS number, u COLLATE "C" AS userset
        FROM unnest(p_audience) n CROSS JOIN LATERAL unnest(usersets_of_audience(p_tenant, n, p_usersets)) u
    ), heard AS (
        SELECT n.number, n.userset AS principal FROM named n WHERE n.userset NOT LIKE '%#%'
        UNION
        SELECT n.number, c.principal FROM named n JOIN current c ON c.object || '#' || c.relation = n.userset
        UNION
        SELECT n.number, c.principal FROM current c
        JOIN governance_impliedrelation i ON i.tenant_id = p_tenant
            AND i.object_type = split_part(c.object, ':', 1) AND i.relation = c.relation
        JOIN named n ON c.object || '#' || i.implies = n.userset
    )
    SELECT h.principal FROM heard h GROUP BY h.principal HAVING count(*) = cardinality(p_audience)
    UNION
    SELECT c.principal FROM current c WHERE coalesce(cardinality(p_audience), 0) = 0;
END $$;
