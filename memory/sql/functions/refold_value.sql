-- Update the guard of a value from its fold, and everything that says the value: a retract forgets it, an amend replaces
-- it, and reverting both lets it be said again. apply_edit calls this; the caller has locked the guards. Up to 1,000
-- chunks are folded at once, in 3 s. More are hidden, and a job folds them: whoever records waits for this transaction, and
-- gives up after 10 s.
CREATE OR REPLACE FUNCTION refold_value(p_tenant uuid, p_value uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    v_key bytea := guard_key(p_tenant);
    f record;
    words text[] := words_of_value(p_tenant, p_value);
    cue text;
    step text;
BEGIN
    SELECT * INTO f FROM fold_edits(p_tenant, p_value, '{}', 0);
    IF f.is_retracted OR f.content_id IS NOT NULL THEN
        SELECT w INTO cue FROM unnest(words) w ORDER BY length(w) DESC, w LIMIT 1;
        INSERT INTO memory_guard (tenant_id, id, digest, cue, cue_place, length, instead_id, applied_at, subject_type,
            subject_id, project_id, session_id, by_recorder, channel, since, until, ends_at)
        SELECT p_tenant, v.id, guard_digest(v_key, array_to_string(words, ' ')), guard_cue(v_key, cue),
            array_position(words, cue), cardinality(words), CASE WHEN NOT f.is_retracted THEN f.content_id END,
            clock_timestamp(), v.subject_type, v.subject_id, v.project_id, v.session_id, v.by_recorder, v.channel,
            v.since, v.until, v.ends_at
        FROM memory_value v WHERE v.tenant_id = p_tenant AND v.id = p_value AND words IS NOT NULL
        ON CONFLICT (tenant_id, id) DO UPDATE SET instead_id = excluded.instead_id, applied_at = excluded.applied_at;
    ELSE
        DELETE FROM memory_guard g WHERE g.tenant_id = p_tenant AND g.id = p_value;
    END IF;
    INSERT INTO memory_pendingrewording (tenant_id, id, value_id)
    SELECT p_tenant, k.id, p_value FROM (
        SELECT s.chunk_id AS id FROM memory_value v
        CROSS JOIN LATERAL chunks_saying(p_tenant, v, words, NULL) s
        WHERE v.tenant_id = p_tenant AND v.id = p_value AND s.is_said
        UNION
        SELECT r.record_id FROM memory_rewording r CROSS JOIN LATERAL chunk_of(p_tenant, r.record_id) c
        WHERE r.tenant_id = p_tenant AND r.value_ids @> ARRAY[p_value]
    ) k
    ON CONFLICT (tenant_id, id) DO UPDATE SET value_id = excluded.value_id;
    IF (SELECT count(*) FROM (
        SELECT FROM memory_pendingrewording p WHERE p.tenant_id = p_tenant AND p.value_id = p_value LIMIT 1001) n) <= 1000
    THEN
        PERFORM fold_pending_rewordings(p_tenant, p_value, 1000);
    ELSE
        UPDATE memory_effectivechunk x SET is_retracted = true, text = NULL, tsv = NULL, lex = NULL
        FROM memory_pendingrewording p
        WHERE p.tenant_id = p_tenant AND p.value_id = p_value AND x.tenant_id = p_tenant AND x.id = p.id;
    END IF;
    FOR step IN SELECT n FROM functions_beginning('refold_values_of_') n LOOP
        EXECUTE format('SELECT %I($1, $2)', step) USING p_tenant, p_value;
    END LOOP;
END $$;
