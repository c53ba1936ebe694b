-- The digest of words under a key of the tenant that only the gate knows: so nobody who reads a guard can find its words by trying.
-- p_key is guard_key().
CREATE OR REPLACE FUNCTION guard_digest(p_key bytea, p_words text) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT sha256(p_key || sha256(p_key || convert_to(p_words, 'UTF8')))
$$;
