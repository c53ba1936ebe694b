-- The latest version of a recorder's file, even if it was deleted or renamed; no row for a path that was never
-- captured. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION latest_of_file(p_tenant uuid, p_recorder uuid, p_session text, p_path text)
RETURNS SETOF memory_fileversion LANGUAGE sql STABLE AS $$
    SELECT v.* FROM memory_fileversion v
    WHERE v.tenant_id = p_tenant AND v.recorded_by = p_recorder AND v.session_id = p_session AND v.file_path = p_path
    ORDER BY v.number DESC LIMIT 1
$$;
