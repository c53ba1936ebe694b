-- The part of lends_to() that no edit changes: whether a chunk n may lend its words to its neighbour k while nothing hides
-- n. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION could_lend_to(n memory_effectivechunk, k memory_chunk) RETURNS boolean LANGUAGE sql IMMUTABLE
PARALLEL SAFE AS $$
    SELECT n.session_id = k.session_id AND n.channel = k.channel
       AND n.subject_type IS NOT DISTINCT FROM k.subject_type AND n.subject_id IS NOT DISTINCT FROM k.subject_id
       AND more_sensitive(n.sensitivity, k.sensitivity) = k.sensitivity
$$;
