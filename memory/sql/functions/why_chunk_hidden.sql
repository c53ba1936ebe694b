-- Why a reader does not get a chunk: see why_hidden; and `expired`, after `retracted`, from its expiry on, even before
-- the job runs.
CREATE OR REPLACE FUNCTION why_chunk_hidden(
    x memory_effectivechunk, p_listening text[], p_reader reader, p_include_quarantined boolean
) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN x.expires_at <= statement_timestamp() AND NOT x.is_retracted AND hears(p_reader, x.audience)
        THEN 'expired'
        ELSE why_hidden(x.audience, x.is_retracted, x.superseded_by IS NOT NULL, x.blocked_channels, x.is_quarantined,
        x.channel, x.sensitivity, p_listening, p_reader, p_include_quarantined) END
$$;
