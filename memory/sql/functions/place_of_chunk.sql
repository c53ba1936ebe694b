-- Where the text of a chunk stands. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION place_of_chunk(k memory_chunk) RETURNS value_place LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT (recorded_at(k.id), k.subject_type, k.subject_id, k.project_id, k.session_id, k.recorder, k.channel,
        k.ts)::value_place
$$;
