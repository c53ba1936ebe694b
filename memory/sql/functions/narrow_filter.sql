-- The filter that leaves so few chunks (fewer than 2,000) that a search looks at each of them: 'subject', 'session', or
-- NULL if neither does.
CREATE OR REPLACE FUNCTION narrow_filter(p_tenant uuid, f search_filter) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    IF num_nonnulls(f.subject_type, f.subject_id) = 2 AND 2000 > (SELECT count(*) FROM (
        SELECT FROM memory_effectivechunk x WHERE x.tenant_id = v_tenant AND x.subject_type = f.subject_type
          AND x.subject_id = f.subject_id AND NOT x.is_retracted AND x.channel = ANY (f.sensitivities)
          AND x.sensitivity = ANY (f.sensitivities) LIMIT 2000) n)
    THEN RETURN 'subject'; END IF;
    IF f.session_id IS NOT NULL AND 2000 > (SELECT count(*) FROM (
        SELECT FROM memory_effectivechunk x WHERE x.tenant_id = v_tenant AND x.session_id = f.session_id
          AND NOT x.is_retracted AND x.channel = ANY (f.sensitivities) AND x.sensitivity = ANY (f.sensitivities) LIMIT 2000) n)
    THEN RETURN 'session'; END IF;
    RETURN NULL;
END $$;
