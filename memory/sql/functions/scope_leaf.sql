-- The part of a leaf that all records of memory share, in a fixed form: the leaf's name in front says which version it
-- is.
CREATE OR REPLACE FUNCTION scope_leaf(
    p_scope text, p_subject_type text, p_subject_id text, p_project_id text, p_session_id text, p_channel text,
    p_sensitivity text, p_ts timestamptz
) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT jsonb_build_array(p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id, p_channel, p_sensitivity,
        microseconds(p_ts))
$$;

ALTER FUNCTION scope_leaf OWNER TO suture_gate;
