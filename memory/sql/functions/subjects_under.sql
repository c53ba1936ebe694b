-- The subjects of a type whose ids begin with a text: index terms for a search, which knows no beginnings. NULL if they
-- are more than 50, or if the database does not sort texts by their code points: then they are not next to each other.
CREATE OR REPLACE FUNCTION subjects_under(p_tenant uuid, p_type text, p_prefix text) RETURNS text[] LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    found_ids text[] := '{}';
    next_id text := '';
BEGIN
    IF p_type IS NULL OR p_prefix IS NULL OR NOT EXISTS (
        SELECT FROM pg_database d WHERE d.datname = current_database()
          AND (d.datlocprovider = 'b' OR d.datlocprovider = 'c' AND d.datcollate IN ('C', 'POSIX', 'C.UTF-8', 'C.utf8')))
    THEN RETURN NULL; END IF;
    LOOP
        -- one by one, as in list_subjects
        SELECT x.subject_id INTO next_id FROM memory_effectivechunk x
        WHERE x.tenant_id = p_tenant AND x.subject_type = p_type AND NOT x.is_retracted
          AND x.subject_id >= p_prefix AND x.subject_id > next_id
        ORDER BY x.subject_id LIMIT 1;
        IF NOT FOUND OR NOT starts_with(next_id, p_prefix) THEN RETURN found_ids; END IF;
        IF cardinality(found_ids) = 50 THEN RETURN NULL; END IF;
        found_ids := found_ids || next_id;
    END LOOP;
END $$;
