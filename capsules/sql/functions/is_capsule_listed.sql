-- Whether a list shows a capsule to a reader: its sensitivity withholds its words, not the capsule. is_seen explains
-- the CASE.
CREATE OR REPLACE FUNCTION is_capsule_listed(
    x capsules_effectivecapsule, p_listening text[], p_reader reader, p_include_quarantined boolean
) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(why_capsule_hidden(x, p_listening, p_reader, p_include_quarantined) = 'sensitivity', true)
$$;
