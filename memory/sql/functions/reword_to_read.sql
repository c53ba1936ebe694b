-- executable by: suture_app
-- JSON that is read outside of the gate's functions, such as the state of a checkpoint, without the values that are
-- forgotten, and with new words for those that are replaced. NULL if nothing changes.
CREATE OR REPLACE FUNCTION reword_to_read(p_tenant uuid, p_json text) RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER
AS $$
DECLARE
    given jsonb;
    kept jsonb;
BEGIN
    PERFORM require_tenant(p_tenant);
    IF NOT has_guards(p_tenant) THEN RETURN NULL; END IF;
    given := replace(p_json, '\u0000', '')::jsonb;  -- jsonb has no NUL character
    kept := reworded_json(p_tenant, given, NULL);
    RETURN CASE WHEN kept <> given THEN kept::text END;
END $$;
