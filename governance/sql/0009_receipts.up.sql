-- What receipts need: the function of the trigger that notes what is recorded, and the gate's rights.
GRANT SELECT, INSERT ON governance_receipt TO suture_gate;
GRANT SELECT, INSERT, DELETE ON governance_unsealedreceipt TO suture_gate;

GRANT CREATE ON SCHEMA public TO suture_gate;
SET ROLE suture_gate;

-- Note the rows of a statement in a setting of the transaction, as 'tenant table id,id;', which recorded_rows reads. The
-- setting goes with the transaction, and back with a savepoint. To clear it gains nothing: rows without a receipt are not
-- sealed, and raise an alarm.
CREATE FUNCTION governance_note_recorded() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM set_config('suture.recorded', concat(current_setting('suture.recorded', true), (
        SELECT string_agg(concat(n.tenant_id, ' ', TG_TABLE_NAME, ' ', n.ids, ';'), '') FROM (
            SELECT r.tenant_id, string_agg(r.id::text, ',' ORDER BY r.id) AS ids FROM recorded r GROUP BY r.tenant_id) n)), true);
    RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION governance_note_recorded() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION governance_note_recorded() TO suture_owner;
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM suture_gate;
