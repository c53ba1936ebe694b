-- Lock the target of an edit, with all rows of its memory that an edit changes, until the end of the transaction.
-- Refuses an unknown kind of target.
CREATE OR REPLACE FUNCTION lock_target(p_tenant uuid, p_target_type text, p_target_id uuid) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER AS $$
BEGIN
    PERFORM require_target_type(p_target_type);
    EXECUTE format('SELECT %I($1, $2, true)', 'state_of_' || p_target_type) USING p_tenant, p_target_id;
END $$;
