-- The retract that removed this text, or NULL. The text may be the removed value, or contain it as a sentence or within
-- one (is_said_in). If both have a subject, it must be the same, unless the value names its subject. Only a text with
-- both of a value's longest words is compared in full. It is searched in pieces, because PostgreSQL walks an array from
-- its start for each element: so the time grows linearly with the text, not with its square.
CREATE OR REPLACE FUNCTION removed_by(p_tenant uuid, p_text text, p_subject_type text, p_subject_id text)
RETURNS uuid LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    -- pieces overlap by a value of 50 words, and 30 words before and after it
    piece_length constant int := 480;
    context constant int := 30;
    overlap constant int := 110;
    cues bigint[] := cues_of(p_text);
    v_digest bytea;
    retract uuid;
    token text;
    mark text := '';
    words text[] := '{}';
    marks text[] := '{}';  -- before each word: '.' where a sentence ended, ',' where a clause ended
    starts int := 1;       -- where values begin that earlier pieces did not contain
BEGIN
    IF NOT EXISTS (
        SELECT 1 FROM memory_removedvalue v WHERE v.tenant_id = p_tenant AND v.cue = ANY (cues)
            AND (v.other_cue IS NULL OR v.other_cue = ANY (cues)) AND is_removed_about(v, p_subject_type, p_subject_id)
    ) THEN RETURN NULL; END IF;
    v_digest := normal_digest(p_text);
    SELECT v.edit_id INTO retract FROM memory_removedvalue v
    WHERE v.tenant_id = p_tenant AND v.digest = v_digest
        AND is_removed_about(v, p_subject_type, p_subject_id)
    ORDER BY v.edit_id LIMIT 1;
    IF FOUND THEN RETURN retract; END IF;
    FOREACH token IN ARRAY string_to_array(marked_words(p_text), ' ') || ARRAY[NULL] LOOP
        IF token = E'\x02' THEN mark := '.'; CONTINUE; END IF;
        IF token = E'\x01' THEN mark := CASE mark WHEN '.' THEN '.' ELSE ',' END; CONTINUE; END IF;
        IF token IS NOT NULL THEN
            words := array_append(words, token);
            marks := array_append(marks, mark);
            mark := '';
            CONTINUE WHEN cardinality(words) < piece_length;
        END IF;
        SELECT v.edit_id INTO retract
        FROM unnest(words) WITH ORDINALITY AS w (word, place)
        JOIN (SELECT DISTINCT v.cue, v.cue_place, v.length FROM memory_removedvalue v
              WHERE v.tenant_id = p_tenant AND v.cue = ANY (cues)
                  AND (v.other_cue IS NULL OR v.other_cue = ANY (cues)) AND v.reach <> 'text') c
            ON c.cue = hashtextextended(w.word, 0)
        CROSS JOIN LATERAL (SELECT w.place::int - c.cue_place + 1 AS first) f
        CROSS JOIN LATERAL (
            SELECT x.edit_id, x.reach FROM memory_removedvalue x
            WHERE x.tenant_id = p_tenant AND x.reach <> 'text' AND x.digest = sha256(convert_to(
                    array_to_string(words[f.first : f.first + c.length - 1], ' '), 'UTF8'))
                AND is_removed_about(x, p_subject_type, p_subject_id)
            OFFSET 0
        ) v
        WHERE f.first BETWEEN starts AND CASE WHEN token IS NULL THEN piece_length ELSE piece_length - overlap + context END
            AND f.first + c.length - 1 <= cardinality(words)
            AND is_said_in(words, marks, f.first, f.first + c.length - 1, v.reach)
        ORDER BY v.edit_id LIMIT 1;
        IF FOUND THEN RETURN retract; END IF;
        words := words[piece_length - overlap + 1 :];
        marks := marks[piece_length - overlap + 1 :];
        starts := context + 1;
    END LOOP;
    RETURN NULL;
END $$;
