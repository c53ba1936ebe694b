-- Why a reader does not get a decision: see why_hidden.
CREATE OR REPLACE FUNCTION why_decision_hidden(
    x memory_effectivedecision, p_listening text[], p_reader reader, p_include_quarantined boolean
) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT why_hidden(x.audience, x.is_retracted, false, x.blocked_channels, x.is_quarantined, x.channel,
        x.sensitivity, p_listening, p_reader, p_include_quarantined)
$$;
