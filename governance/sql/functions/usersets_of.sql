-- The usersets of a principal at the statement's time: itself, `object#relation` of each relation that is valid then, and
-- what these imply. Some may be there twice: to sort them would take as long as to find them. Implied relations are hashed
-- by themselves, whatever the planner expects: a nested loop would compare each with each relation.
CREATE OR REPLACE FUNCTION usersets_of(p_tenant uuid, p_principal text) RETURNS text[] LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan SET enable_nestloop = off AS $$
BEGIN
    RETURN (
        WITH held AS MATERIALIZED (
            SELECT r.object, r.relation FROM governance_relationtuple r
            WHERE r.tenant_id = p_tenant AND r.principal = p_principal AND r.valid_from <= statement_timestamp()
              AND (r.valid_until IS NULL OR r.valid_until > statement_timestamp())
              -- one look at all revocations of the principal, not one for each relation
              AND r.id NOT IN (
                SELECT v.tuple_id FROM governance_relationrevocation v
                WHERE v.tenant_id = p_tenant AND v.principal = p_principal)
        )
        SELECT array_agg(x.u) FROM (
            SELECT p_principal COLLATE "C"
            UNION ALL SELECT h.object || '#' || h.relation FROM held h
            UNION ALL SELECT h.object || '#' || i.implies FROM held h
            JOIN governance_impliedrelation i ON i.tenant_id = p_tenant
                AND i.object_type = split_part(h.object, ':', 1) AND i.relation = h.relation
        ) x (u));
END $$;
