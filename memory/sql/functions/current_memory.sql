-- The first chunk of the current version of a memory, which any chunk or event of any version names; NULL if nothing has
-- the id. Of versions with a key it is the last that the reader hears and no edit hides, or the one that is named if it is
-- quarantined; otherwise the end of the chain of successors.
CREATE OR REPLACE FUNCTION current_memory(p_tenant uuid, p_id uuid, p_reader reader) RETURNS uuid LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    found uuid := (memory_with(p_tenant, p_id))[1];
    -- looked up by itself: with a join, the planner walks the relations in the order of their ids
    digest bytea := (SELECT k.key_digest FROM memory_relation k
        WHERE k.tenant_id = p_tenant AND k.later_id = found AND k.key_digest IS NOT NULL LIMIT 1);
    latest uuid;
    above uuid;
BEGIN
    latest := (
        SELECT r.later_id FROM memory_relation r
        CROSS JOIN LATERAL (
            SELECT FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = r.later_id
              AND NOT y.is_retracted AND NOT y.is_superseded AND (NOT y.is_quarantined OR y.id = found)
              AND hears(p_reader, y.audience) LIMIT 1) y
        WHERE r.tenant_id = p_tenant AND r.key_digest = digest ORDER BY r.id DESC LIMIT 1);
    IF latest IS NOT NULL THEN RETURN latest; END IF;
    LOOP
        above := (SELECT y.superseded_by FROM memory_effectivechunk y
            WHERE y.tenant_id = p_tenant AND y.id = found AND y.is_superseded);
        EXIT WHEN above IS NULL OR above = found;
        found := (memory_with(p_tenant, above))[1];
    END LOOP;
    RETURN found;
END $$;
