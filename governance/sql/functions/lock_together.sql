-- Hold what several targets change, in one order, before each of them is locked by itself: two batches that lock the same
-- rows for different targets could deadlock otherwise. An app `<name>` in which a target changes other rows than its own
-- memory's has a function lock_together_of_<name>(tenant, targets), which passes over targets of other apps.
CREATE OR REPLACE FUNCTION lock_together(p_tenant uuid, p_targets uuid[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE step text;
BEGIN
    FOR step IN SELECT f FROM functions_beginning('lock_together_of_') f LOOP
        EXECUTE format('SELECT %I($1, $2)', step) USING p_tenant, p_targets;
    END LOOP;
END $$;

ALTER FUNCTION lock_together OWNER TO suture_gate;
