-- Whether a text that stands at p_place is within the reach of a value. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION is_place_within_reach(v memory_value, p_place value_place) RETURNS boolean LANGUAGE sql IMMUTABLE
PARALLEL SAFE AS $$
    SELECT (v.subject_id IS NULL OR v.subject_id = p_place.subject_id AND v.subject_type = p_place.subject_type)
        AND (v.project_id IS NULL OR v.project_id = p_place.project_id)
        AND (v.session_id IS NULL OR v.session_id = p_place.session_id)
        AND (v.by_recorder IS NULL OR v.by_recorder = p_place.recorder)
        AND (v.channel IS NULL OR v.channel = p_place.channel)
        AND (v.since IS NULL OR p_place.ts >= v.since) AND (v.until IS NULL OR p_place.ts < v.until)
$$;
