-- Lock the guards if one of these targets of edits is a value (lock_together).
CREATE OR REPLACE FUNCTION lock_together_of_values(p_tenant uuid, p_targets uuid[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER AS $$
BEGIN
    PERFORM lock_guards(p_tenant, true) FROM unnest(p_targets) i (id) CROSS JOIN LATERAL (
        SELECT FROM memory_value v WHERE v.tenant_id = p_tenant AND v.id = i.id LIMIT 1) v
    LIMIT 1;
END $$;
