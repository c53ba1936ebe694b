-- Rebuild the rows that capsules_drift reports; returns how many.
CREATE OR REPLACE FUNCTION repair_capsules(p_tenant uuid) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE bad uuid[];
BEGIN
    bad := ARRAY(SELECT d.id FROM capsules_drift(p_tenant) d);
    DELETE FROM capsules_effectivecapsule x WHERE x.tenant_id = p_tenant AND x.id = ANY (bad);
    INSERT INTO capsules_effectivecapsule SELECT k.* FROM expected_capsules(p_tenant) k WHERE k.id = ANY (bad);
    RETURN cardinality(bad);
END $$;

ALTER FUNCTION repair_capsules OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION repair_capsules TO suture_owner;
