-- Whose words the target of an edit has, from the function of its app (authorship_of_<target_type>): its recorder; the
-- ids of all records of the same memory, any of which an edit may name; whether others depend on it (is_guarded: for
-- memory, another agent's chain, block or decision in force); and whether anyone but its recorder has received it.
CREATE OR REPLACE FUNCTION authorship_of_target(
    p_tenant uuid, p_target_type text, p_target uuid, OUT recorder_kind text, OUT recorded_by uuid, OUT targets uuid[],
    OUT is_guarded boolean, OUT is_received boolean
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    -- not (f(...)).*, which PostgreSQL expands into one call for each column
    EXECUTE format('SELECT * FROM %I($1, $2)', 'authorship_of_' || p_target_type)
    INTO recorder_kind, recorded_by, targets, is_guarded, is_received USING p_tenant, p_target;
END $$;
