-- A hash of injected text, computed from the salted hashes of the content rows: after an erasure, nobody can test
-- guesses against it.
CREATE OR REPLACE FUNCTION words_hash(p_first bytea, p_second bytea, p_start int, p_end int) RETURNS text LANGUAGE sql STABLE
PARALLEL SAFE AS $$
    SELECT encode(sha256(coalesce(p_first, '') || coalesce(p_second, '')
        || convert_to(concat_ws('-', p_start, p_end), 'UTF8')), 'hex')
$$;
