-- executable by: suture_app
-- Who can read a chunk now, for people: each audience that a reader must hear (`place`), its usersets, and the principals
-- that have one, at most p_limit for each. A row without a place: the chunk has no audience. No row: there is no such chunk.
CREATE OR REPLACE FUNCTION readers_of_chunk(p_tenant uuid, p_chunk uuid, p_limit int)
RETURNS TABLE (place int, userset text, principal text, relation text, valid_until timestamptz) LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    PERFORM acting_person(p_tenant);
    RETURN QUERY
    SELECT n.place::int, u.userset, p.principal, p.relation, p.valid_until
    FROM (SELECT y.audience FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = p_chunk LIMIT 1) x
    LEFT JOIN LATERAL unnest(x.audience) WITH ORDINALITY n (number, place) ON true
    LEFT JOIN LATERAL (
        SELECT a.usersets FROM governance_audience a WHERE a.tenant_id = p_tenant AND a.number = n.number LIMIT 1) a ON true
    LEFT JOIN LATERAL unnest(a.usersets) u (userset) ON true
    LEFT JOIN LATERAL principals_with(p_tenant, u.userset, p_limit) p ON true
    ORDER BY n.place, u.userset, p.principal, p.relation;
END $$;
