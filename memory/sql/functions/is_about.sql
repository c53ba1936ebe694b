-- The filters of a search; a NULL filter matches everything.
CREATE OR REPLACE FUNCTION is_about(
    x memory_effectivechunk, p_channels text[], p_scope text, p_subject_type text, p_subject_id text,
    p_project_id text, p_session_id text
) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT x.channel = ANY (p_channels)
       AND (p_scope IS NULL OR x.scope = p_scope)
       AND (p_subject_type IS NULL OR x.subject_type = p_subject_type)
       AND (p_subject_id IS NULL OR x.subject_id = p_subject_id)
       AND (p_project_id IS NULL OR x.project_id = p_project_id)
       AND (p_session_id IS NULL OR x.session_id = p_session_id)
$$;
