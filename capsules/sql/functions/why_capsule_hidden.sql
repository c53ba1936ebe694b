-- Why a reader does not get a capsule: see why_hidden.
CREATE OR REPLACE FUNCTION why_capsule_hidden(
    x capsules_effectivecapsule, p_listening text[], p_reader reader, p_include_quarantined boolean
) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT why_hidden(NULL, x.is_retracted, false, x.blocked_channels, x.is_quarantined, '', x.sensitivity, p_listening,
        p_reader, p_include_quarantined)
$$;
