-- Hold several targets of edits, with whatever else an edit of them changes, to the end of the transaction, in one order:
-- two batches that lock them one by one could deadlock. Each app `<name>` that has targets has a function
-- lock_together_of_<name>(tenant, targets), which passes over those of other apps.
CREATE OR REPLACE FUNCTION lock_together(p_tenant uuid, p_targets uuid[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE step text;
BEGIN
    FOR step IN SELECT f FROM functions_beginning('lock_together_of_') f LOOP
        EXECUTE format('SELECT %I($1, $2)', step) USING p_tenant, p_targets;
    END LOOP;
END $$;
