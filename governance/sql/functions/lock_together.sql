-- Lock several targets of edits, with all rows that an edit changes, until the end of the transaction, in a fixed
-- order: two batches that lock them one by one could deadlock. Each app `<name>` with targets has a function
-- lock_together_of_<name>(tenant, targets), which skips targets of other apps.
CREATE OR REPLACE FUNCTION lock_together(p_tenant uuid, p_targets uuid[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE step text;
BEGIN
    FOR step IN SELECT f FROM functions_beginning('lock_together_of_') f LOOP
        EXECUTE format('SELECT %I($1, $2)', step) USING p_tenant, p_targets;
    END LOOP;
END $$;
