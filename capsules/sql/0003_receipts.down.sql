-- What the triggers of the version before call.
GRANT CREATE ON SCHEMA public TO suture_gate;
SET ROLE suture_gate;

-- Called where a row's id is too old for a seal to look for it (the trigger's condition).
CREATE FUNCTION governance_note_straggler() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO governance_straggler (tenant_id, id, "table", row_id) VALUES (NEW.tenant_id, new_id(), TG_TABLE_NAME, NEW.id);
    RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION governance_note_straggler() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION governance_note_straggler() TO suture_owner;
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM suture_gate;
