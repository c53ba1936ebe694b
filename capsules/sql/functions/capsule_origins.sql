-- The capsules that a capsule was forwarded from, nearest first.
CREATE OR REPLACE FUNCTION capsule_origins(p_tenant uuid, p_capsule uuid) RETURNS SETOF uuid LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
DECLARE one uuid := p_capsule;
BEGIN
    LOOP
        SELECT c.forwards_id INTO one FROM capsules_capsule c WHERE c.tenant_id = p_tenant AND c.id = one;
        EXIT WHEN one IS NULL;
        RETURN NEXT one;
    END LOOP;
END $$;
