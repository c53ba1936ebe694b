-- Whether a chunk is within the reach of a value. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION is_within_reach(v memory_value, x memory_effectivechunk) RETURNS boolean LANGUAGE sql IMMUTABLE
PARALLEL SAFE AS $$
    SELECT (v.subject_id IS NULL OR v.subject_id = x.subject_id AND v.subject_type = x.subject_type)
        AND (v.project_id IS NULL OR v.project_id = x.project_id) AND (v.session_id IS NULL OR v.session_id = x.session_id)
        AND (v.by_recorder IS NULL OR v.by_recorder = x.recorder) AND (v.channel IS NULL OR v.channel = x.channel)
        AND (v.since IS NULL OR x.ts >= v.since) AND (v.until IS NULL OR x.ts < v.until)
$$;
