-- The filter that leaves so few chunks that a search looks at each of them: 'subject', 'session', 'metadata', 'tag',
-- 'actor', 'kind', 'recorder' or 'time'; NULL if none does. The index terms know subjects, sessions and times: of these, 2,000 are few. Of
-- the others, 10,000 are, because a search by words skips what they exclude one by one.
CREATE OR REPLACE FUNCTION narrow_filter(p_tenant uuid, f search_filter) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    IF num_nonnulls(f.subject_type, f.subject_id) = 2 AND 2000 > (SELECT count(*) FROM (
        SELECT FROM memory_effectivechunk x WHERE x.tenant_id = v_tenant AND x.subject_type = f.subject_type
          AND x.subject_id = f.subject_id AND NOT x.is_retracted AND x.channel = ANY ((f.reader).labels)
          AND x.sensitivity = ANY ((f.reader).labels) AND hears(f.reader, x.audience) LIMIT 2000) n)
    THEN RETURN 'subject'; END IF;
    IF f.session_id IS NOT NULL AND 2000 > (SELECT count(*) FROM (
        SELECT FROM memory_effectivechunk x WHERE x.tenant_id = v_tenant AND x.session_id = f.session_id
          AND NOT x.is_retracted AND x.channel = ANY ((f.reader).labels) AND x.sensitivity = ANY ((f.reader).labels)
          AND hears(f.reader, x.audience) LIMIT 2000) n)
    THEN RETURN 'session'; END IF;
    IF f.metadata_equals IS NOT NULL AND 10000 > (SELECT count(*) FROM (
        SELECT FROM memory_effectivechunk x WHERE tenant_metadata(x.tenant_id, x.metadata) @@ f.metadata_equals
          AND x.metadata IS NOT NULL AND NOT x.is_retracted LIMIT 10000) n)
    THEN RETURN 'metadata'; END IF;
    IF f.tag IS NOT NULL AND 10000 > (SELECT count(*) FROM (
        SELECT FROM memory_chunk k
        WHERE k.tenant_id = v_tenant AND k.tags @> ARRAY[f.tag] AND k.tags <> '{}' LIMIT 10000) n)
    THEN RETURN 'tag'; END IF;
    IF f.actor IS NOT NULL AND 10000 > (SELECT count(*) FROM (
        SELECT FROM memory_event e WHERE e.tenant_id = v_tenant AND e.actor_id = f.actor LIMIT 10000) n)
    THEN RETURN 'actor'; END IF;
    IF f.kind IS NOT NULL AND 10000 > (SELECT count(*) FROM (
        SELECT FROM memory_event e WHERE e.tenant_id = v_tenant AND e.kind = f.kind LIMIT 10000) n)
    THEN RETURN 'kind'; END IF;
    IF f.recorder IS NOT NULL AND 10000 > (SELECT count(*) FROM (
        SELECT FROM memory_effectivechunk x WHERE x.tenant_id = v_tenant AND x.recorder = f.recorder
          AND NOT x.is_retracted LIMIT 10000) n)
    THEN RETURN 'recorder'; END IF;
    IF num_nonnulls(f.since, f.until) > 0 AND 2000 > (SELECT count(*) FROM (
        SELECT FROM memory_effectivechunk x WHERE x.tenant_id = v_tenant AND NOT x.is_retracted
          AND x.ts >= coalesce(f.since, '-infinity') AND x.ts < coalesce(f.until, 'infinity') LIMIT 2000) n)
    THEN RETURN 'time'; END IF;
    RETURN NULL;
END $$;
