-- Refold a capsule and everything forwarded from it. apply_edit calls this for a target of type capsule.
CREATE OR REPLACE FUNCTION refold_capsule(p_tenant uuid, p_capsule uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE one uuid;
BEGIN
    IF NOT EXISTS (SELECT 1 FROM capsules_capsule c WHERE c.tenant_id = p_tenant AND c.id = p_capsule) THEN
        RAISE EXCEPTION 'this capsule does not exist' USING ERRCODE = 'SU404';
    END IF;
    FOREACH one IN ARRAY lock_capsules(p_tenant, p_capsule) LOOP
        PERFORM refold_one_capsule(p_tenant, one);
    END LOOP;
END $$;
