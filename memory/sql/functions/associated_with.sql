-- The projects and sessions that have memory about a subject, counting only memory that the reader may see: listing the
-- others would reveal it.
CREATE OR REPLACE FUNCTION associated_with(
    p_tenant uuid, p_subject_type text, p_subject_id text, p_listening text[], p_reader reader,
    p_include_quarantined boolean, OUT projects text[], OUT sessions text[]
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    SELECT coalesce(array_agg(DISTINCT x.project_id) FILTER (WHERE x.project_id IS NOT NULL), '{}'),
           coalesce(array_agg(DISTINCT x.session_id) FILTER (WHERE x.session_id IS NOT NULL), '{}')
    INTO projects, sessions
    FROM memory_effectivechunk x
    WHERE x.tenant_id = v_tenant AND x.subject_id = p_subject_id AND x.subject_type IS NOT NULL
      AND (p_subject_type IS NULL OR x.subject_type = p_subject_type)
      AND is_seen(x, p_listening, p_reader, p_include_quarantined);
END $$;
