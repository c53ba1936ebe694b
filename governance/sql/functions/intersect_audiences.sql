-- The number of the audience that hears all of these audiences. NULL is neutral: the default. NULL for none but NULLs.
CREATE OR REPLACE FUNCTION intersect_audiences(p_tenant uuid, p_numbers int[]) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER AS $$
DECLARE
    given int[] := ARRAY(SELECT DISTINCT n FROM unnest(p_numbers) n WHERE n IS NOT NULL);
    known int;
    members int[];
BEGIN
    PERFORM require_tenant(p_tenant);
    IF cardinality(given) < 2 THEN RETURN given[1]; END IF;
    SELECT count(DISTINCT a.number), array_agg(DISTINCT m ORDER BY m) INTO known, members
    FROM governance_audience a
    CROSS JOIN LATERAL unnest(CASE WHEN a.all_of = '{}' THEN ARRAY[a.number] ELSE a.all_of END) m
    WHERE a.tenant_id = p_tenant AND a.number = ANY (given);
    IF known <> cardinality(given) THEN
        RAISE EXCEPTION 'the tenant has no audience with one of these numbers' USING ERRCODE = 'SU404';
    END IF;
    RETURN CASE WHEN cardinality(members) = 1 THEN members[1] ELSE intern_form(p_tenant, '{}', members) END;
END $$;
