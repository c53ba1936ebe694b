-- The chunks that a search may find under a narrow filter (narrow_filter). PostgreSQL inlines it, and runs one half.
CREATE OR REPLACE FUNCTION narrow_chunks(p_tenant uuid, p_narrow text, f search_filter) RETURNS SETOF memory_effectivechunk
LANGUAGE sql STABLE AS $$
    SELECT x.* FROM memory_effectivechunk x
    WHERE p_narrow = 'subject' AND x.tenant_id = p_tenant AND x.subject_type = (f).subject_type
      AND x.subject_id = (f).subject_id AND is_found(x, f)
    UNION ALL
    SELECT x.* FROM memory_effectivechunk x
    WHERE p_narrow = 'session' AND x.tenant_id = p_tenant AND x.session_id = (f).session_id AND is_found(x, f)
$$;
