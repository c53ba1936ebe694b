-- Hold the target of an edit, with whatever else of its memory an edit changes, to the end of the transaction.
-- Refuses a kind of target that no app has.
CREATE OR REPLACE FUNCTION lock_target(p_tenant uuid, p_target_type text, p_target_id uuid) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER AS $$
BEGIN
    PERFORM require_target_type(p_target_type);
    EXECUTE format('SELECT %I($1, $2, true)', 'state_of_' || p_target_type) USING p_tenant, p_target_id;
END $$;
