-- Where a text says what guards keep out, from its first to its last character, from 1. p_about is where the text
-- stands. A guard has an effect on what was recorded before its end; if the value is replaced, only on what was recorded
-- before that (what comes later is quarantined), unless p_is_new or the place is unknown. At an unknown place every reach
-- matches: the text of an edit, or the state of a checkpoint.
CREATE OR REPLACE FUNCTION guarded_spans(p_tenant uuid, p_text text, p_about value_place, p_is_new boolean)
RETURNS TABLE (value_id uuid, first int, last int, instead_id uuid) LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 2
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_key bytea := guard_key(p_tenant);
    words text[];
    firsts int[];
    lasts int[];
BEGIN
    SELECT array_agg(w.word ORDER BY w.place), array_agg(w.first ORDER BY w.place), array_agg(w.last ORDER BY w.place)
    INTO words, firsts, lasts FROM words_in_place(p_text) w;
    RETURN QUERY
    SELECT g.id, firsts[s.start], lasts[s.start + g.length - 1], g.instead_id
    FROM (SELECT u.word, array_agg(u.place::int) AS places, guard_cue(v_key, u.word) AS cue
          FROM unnest(words) WITH ORDINALITY u (word, place) GROUP BY u.word) w
    CROSS JOIN LATERAL (SELECT x.* FROM memory_guard x WHERE x.tenant_id = p_tenant AND x.cue = w.cue OFFSET 0) g
    CROSS JOIN LATERAL (SELECT one - g.cue_place + 1 AS start FROM unnest(w.places) one) s
    WHERE s.start >= 1 AND s.start + g.length - 1 <= cardinality(words)
      AND g.digest = guard_digest(v_key, array_to_string(words[s.start : s.start + g.length - 1], ' '))
      AND (p_about IS NULL OR
        (g.subject_id IS NULL OR g.subject_id = p_about.subject_id AND g.subject_type = p_about.subject_type)
        AND (g.project_id IS NULL OR g.project_id = p_about.project_id)
        AND (g.session_id IS NULL OR g.session_id = p_about.session_id)
        AND (g.by_recorder IS NULL OR g.by_recorder = p_about.recorder)
        AND (g.channel IS NULL OR g.channel = p_about.channel)
        AND (g.since IS NULL OR p_about.ts >= g.since) AND (g.until IS NULL OR p_about.ts < g.until))
      AND (g.ends_at IS NULL OR coalesce(p_about.recorded_at, statement_timestamp()) < g.ends_at)
      AND (p_is_new OR g.instead_id IS NULL OR p_about IS NULL OR p_about.recorded_at <= g.applied_at);
END $$;
