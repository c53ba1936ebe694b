-- executable by: suture_app, suture_review
-- Why a reader does not get a record; NULL if they get it. This is the only definition: the others (why_..._hidden,
-- is_seen, is_capsule_listed) pass the columns of one table to it. If there are several reasons, it names the first of:
--   audience     the reader does not hear the record's audiences (hears): it answers as unknown
--   retracted    hidden from everybody
--   superseded   hidden from everybody: another record of the memory replaces it
--   blocked      in one of the channels in p_listening, or for this reader, its first label
--   quarantined  unless the reader includes quarantined records
--   channel      recorded in a channel that is not among its labels; '' for a capsule, which has no channel
--   sensitivity  not among its labels
-- p_reader is what reader_of returned: its labels are the channels and the sensitivities that the reader may hear. An
-- edit comes before both because a capsule's sensitivity withholds only its words, a block the whole capsule. A NULL in
-- a column hides the record, but for the audience: NULL is everyone who hears the channel.
CREATE OR REPLACE FUNCTION why_hidden(
    p_audience int[], p_is_retracted boolean, p_is_superseded boolean, p_blocked_channels text[], p_is_quarantined boolean,
    p_channel text, p_sensitivity text, p_listening text[], p_reader reader, p_include_quarantined boolean
) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN hears(p_reader, p_audience) IS NOT TRUE THEN 'audience'
                WHEN p_is_retracted THEN 'retracted'
                WHEN p_is_superseded THEN 'superseded'
                WHEN (p_blocked_channels && p_listening OR (p_reader).labels[1] = ANY (p_blocked_channels)) IS NOT FALSE
                    THEN 'blocked'
                WHEN p_is_quarantined AND p_include_quarantined IS NOT TRUE THEN 'quarantined'
                WHEN (p_channel = ANY ((p_reader).labels) OR p_channel = '') IS NOT TRUE THEN 'channel'
                WHEN (p_sensitivity = ANY ((p_reader).labels)) IS NOT TRUE THEN 'sensitivity' END
$$;
