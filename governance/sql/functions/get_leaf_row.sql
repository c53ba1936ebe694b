-- executable by: suture_app
-- The row behind a leaf's hash, as JSON, in its current state.
CREATE OR REPLACE FUNCTION get_leaf_row(p_tenant uuid, p_kind text, p_id uuid) RETURNS text LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
DECLARE found text;
BEGIN
    PERFORM require_tenant(p_tenant);
    IF to_regprocedure(format('%I(uuid,uuid[])', 'leaves_of_' || p_kind)) IS NULL THEN RETURN NULL; END IF;
    EXECUTE format('SELECT x.leaf::text FROM %I($1, ARRAY[$2]) x', 'leaves_of_' || p_kind)
        INTO found USING p_tenant, p_id;
    RETURN found;
END $$;
