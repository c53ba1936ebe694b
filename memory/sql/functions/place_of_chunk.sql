-- Where the text of a chunk stands. Its id has the time of its recording. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION place_of_chunk(k memory_chunk) RETURNS value_place LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT (to_timestamp(('x' || left(replace(k.id::text, '-', ''), 12))::bit(48)::bigint / 1000.0), k.subject_type,
        k.subject_id, k.project_id, k.session_id, k.recorder, k.channel, k.ts)::value_place
$$;
