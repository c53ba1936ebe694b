-- What hides a chunk from whoever is listening: the one definition. Inlined into every query below, so that the
-- partial indexes serve.
CREATE OR REPLACE FUNCTION is_seen(
    x memory_effectivechunk, p_listening text[], p_sensitivities text[], p_include_quarantined boolean
) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT NOT x.is_retracted AND x.superseded_by IS NULL AND (p_include_quarantined OR NOT x.is_quarantined)
       AND x.sensitivity = ANY (p_sensitivities) AND NOT x.blocked_channels && p_listening
$$;

ALTER FUNCTION is_seen OWNER TO suture_gate;
