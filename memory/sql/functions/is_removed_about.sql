-- Whether a removed value applies to a text about this subject: the subjects are equal, one of them is missing, or the
-- value names its subject, so that it means the same with any subject. Not if its recorder took it back
-- (is_taken_back). PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION is_removed_about(v memory_removedvalue, p_subject_type text, p_subject_id text)
RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT (v.names_subject OR v.subject_id IS NULL OR p_subject_id IS NULL
            OR (v.subject_type = p_subject_type AND v.subject_id = p_subject_id))
       AND NOT is_taken_back(v.tenant_id, v.chunk_id)
$$;
