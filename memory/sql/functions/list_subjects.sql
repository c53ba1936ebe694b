-- executable by: suture_app
-- The subjects of which the reader gets a chunk, in order after (p_after_type, p_after_id), each with the time of its newest
-- such chunk. They are looked up one by one: to group all chunks would read the tenant.
CREATE OR REPLACE FUNCTION list_subjects(
    p_tenant uuid, p_listening text[], p_subject_type text, p_prefix text, p_after_type text, p_after_id text, p_limit int
) RETURNS TABLE (subject_type text, subject_id text, updated_at timestamptz) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    v_reader reader := reader_of(p_tenant, p_listening);
    next_type text := coalesce(p_after_type, p_subject_type, '');
    next_id text := coalesce(p_after_id, '');
    listed int := 0;
BEGIN
    WHILE listed < p_limit LOOP
        SELECT x.subject_type, x.subject_id INTO next_type, next_id FROM memory_effectivechunk x
        WHERE x.tenant_id = v_tenant AND NOT x.is_retracted AND x.subject_id IS NOT NULL
          AND (x.subject_type, x.subject_id) > (next_type, next_id)
        ORDER BY x.subject_type, x.subject_id LIMIT 1;
        EXIT WHEN NOT FOUND OR next_type <> p_subject_type;
        CONTINUE WHEN p_prefix IS NOT NULL AND NOT starts_with(next_id, p_prefix);
        updated_at := (
            SELECT x.ts FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant AND x.subject_type = next_type AND x.subject_id = next_id
              AND is_seen(x, p_listening, v_reader, false) ORDER BY x.ts DESC, x.id DESC LIMIT 1);
        CONTINUE WHEN updated_at IS NULL;
        subject_type := next_type; subject_id := next_id; listed := listed + 1;
        RETURN NEXT;
    END LOOP;
END $$;
