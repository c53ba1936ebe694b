-- executable by: suture_app
-- Whether the tenant has memory of any recorder but these. It looks up the next name in the index, one after the other.
CREATE OR REPLACE FUNCTION has_other_recorders(p_tenant uuid, p_recorders text[]) RETURNS boolean LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
DECLARE
    name text := '';
BEGIN
    PERFORM require_tenant(p_tenant);
    LOOP
        SELECT x.recorder INTO name FROM memory_effectivechunk x
        WHERE x.tenant_id = p_tenant AND x.recorder > name AND NOT x.is_retracted
        ORDER BY x.recorder LIMIT 1;
        IF name IS NULL THEN RETURN false; END IF;
        IF name <> ALL (p_recorders) THEN RETURN true; END IF;
    END LOOP;
END $$;
