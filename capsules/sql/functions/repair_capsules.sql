-- executable by: suture_owner
-- Rebuild the rows that capsules_drift reports; returns how many.
CREATE OR REPLACE FUNCTION repair_capsules(p_tenant uuid) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE bad uuid[];
BEGIN
    bad := ARRAY(SELECT d.id FROM capsules_drift(p_tenant) d);
    DELETE FROM capsules_effectivecapsule x WHERE x.tenant_id = p_tenant AND x.id = ANY (bad);
    INSERT INTO capsules_effectivecapsule SELECT k.* FROM expected_capsules(p_tenant) k WHERE k.id = ANY (bad);
    RETURN cardinality(bad);
END $$;
