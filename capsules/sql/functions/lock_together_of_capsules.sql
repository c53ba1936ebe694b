-- Lock those of these targets that are capsules, by id, each with everything forwarded from it.
CREATE OR REPLACE FUNCTION lock_together_of_capsules(p_tenant uuid, p_targets uuid[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER AS $$
DECLARE one uuid;
BEGIN
    FOR one IN
        SELECT x.id FROM unnest(p_targets) i (id) CROSS JOIN LATERAL (
            SELECT c.id FROM capsules_capsule c WHERE c.tenant_id = p_tenant AND c.id = i.id LIMIT 1) x
        ORDER BY 1
    LOOP
        PERFORM lock_capsules(p_tenant, one);
    END LOOP;
END $$;
