-- A word as a number, by which guards are looked up: the first 64 bits of its digest.
CREATE OR REPLACE FUNCTION guard_cue(p_key bytea, p_word text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ('x' || encode(substr(guard_digest(p_key, p_word), 1, 8), 'hex'))::bit(64)::bigint
$$;
