-- The chunks that a search may find under a narrow filter (narrow_filter). PostgreSQL inlines it, and runs one part.
CREATE OR REPLACE FUNCTION narrow_chunks(p_tenant uuid, p_narrow text, f search_filter) RETURNS SETOF memory_effectivechunk
LANGUAGE sql STABLE AS $$
    SELECT x.* FROM memory_effectivechunk x
    WHERE p_narrow = 'subject' AND x.tenant_id = p_tenant AND x.subject_type = (f).subject_type
      AND x.subject_id = (f).subject_id AND is_found(x, f)
    UNION ALL
    SELECT x.* FROM memory_effectivechunk x
    WHERE p_narrow = 'session' AND x.tenant_id = p_tenant AND x.session_id = (f).session_id AND is_found(x, f)
    UNION ALL
    SELECT x.* FROM memory_effectivechunk x
    WHERE p_narrow = 'metadata' AND tenant_metadata(x.tenant_id, x.metadata) @@ (f).metadata_equals
      AND x.metadata IS NOT NULL AND NOT x.is_retracted AND is_found(x, f)
    UNION ALL
    SELECT x.* FROM memory_chunk k
    JOIN memory_effectivechunk x ON x.tenant_id = p_tenant AND x.id = k.id
    WHERE p_narrow = 'tag' AND k.tenant_id = p_tenant AND k.tags @> ARRAY[(f).tag] AND k.tags <> '{}' AND is_found(x, f)
    UNION ALL
    SELECT x.* FROM memory_event e
    JOIN memory_chunk k ON k.tenant_id = p_tenant AND k.event_id = e.id
    JOIN memory_effectivechunk x ON x.tenant_id = p_tenant AND x.id = k.id
    WHERE p_narrow = 'actor' AND e.tenant_id = p_tenant AND e.actor_id = (f).actor AND is_found(x, f)
    UNION ALL
    SELECT x.* FROM memory_event e
    JOIN memory_chunk k ON k.tenant_id = p_tenant AND k.event_id = e.id
    JOIN memory_effectivechunk x ON x.tenant_id = p_tenant AND x.id = k.id
    WHERE p_narrow = 'kind' AND e.tenant_id = p_tenant AND e.kind = (f).kind AND is_found(x, f)
    UNION ALL
    SELECT x.* FROM memory_effectivechunk x
    WHERE p_narrow = 'recorder' AND x.tenant_id = p_tenant AND x.recorder = (f).recorder AND is_found(x, f)
    UNION ALL
    SELECT x.* FROM memory_effectivechunk x
    WHERE p_narrow = 'time' AND x.tenant_id = p_tenant AND NOT x.is_retracted
      AND x.ts >= coalesce((f).since, '-infinity') AND x.ts < coalesce((f).until, 'infinity') AND is_found(x, f)
$$;
