-- Where the text of an event and its typed records stands. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION place_of_event(e memory_event) RETURNS value_place LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT (e.recorded_at, e.subject_type, e.subject_id, e.project_id, e.session_id, e.recorder, e.channel, e.ts)::value_place
$$;
