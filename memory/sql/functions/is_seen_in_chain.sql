-- Whether an agent gets a memory of its chain: the reasons that hide any chunk apply (is_seen), except supersession
-- with p_include_superseded. PostgreSQL inlines it; its CASE is for the planner, as in is_seen.
CREATE OR REPLACE FUNCTION is_seen_in_chain(
    x memory_effectivechunk, p_listening text[], p_reader reader, p_include_quarantined boolean,
    p_include_superseded boolean
) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT NOT x.is_retracted AND (x.expires_at <= statement_timestamp()) IS NOT TRUE
       AND (x.superseded_by IS NULL OR x.is_superseded AND p_include_superseded)
       AND CASE WHEN why_hidden(x.audience, false, false, x.blocked_channels, x.is_quarantined, x.channel, x.sensitivity,
           p_listening, p_reader, p_include_quarantined) IS NULL THEN true ELSE false END
$$;
