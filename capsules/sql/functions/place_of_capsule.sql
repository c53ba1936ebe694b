-- Where the words of a capsule stand. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION place_of_capsule(x capsules_effectivecapsule) RETURNS value_place LANGUAGE sql IMMUTABLE
PARALLEL SAFE AS $$
    SELECT (x.created_at, x.subject_type, x.subject_id, x.project_id, NULL, x.author, NULL, x.created_at)::value_place
$$;
