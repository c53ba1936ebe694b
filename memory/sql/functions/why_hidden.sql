-- Why a reader does not get a record; NULL where they get it. This is the one definition: the others (why_..._hidden,
-- is_seen, is_capsule_listed) pass the columns of one table to it. Of several reasons it names the first of:
--   retracted    nobody gets the record
--   superseded   nobody gets it, since another record of its memory has its words
--   blocked      for one of the channels in p_listening
--   quarantined  unless the reader includes quarantined records
--   sensitivity  none of p_sensitivities
-- So an edit is named before the sensitivity: of a capsule the sensitivity withholds the words only, a block all of it.
-- What is unknown (NULL) hides the record.
CREATE OR REPLACE FUNCTION why_hidden(
    p_is_retracted boolean, p_is_superseded boolean, p_blocked_channels text[], p_is_quarantined boolean,
    p_sensitivity text, p_listening text[], p_sensitivities text[], p_include_quarantined boolean
) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN p_is_retracted THEN 'retracted'
                WHEN p_is_superseded THEN 'superseded'
                WHEN (p_blocked_channels && p_listening) IS NOT FALSE THEN 'blocked'
                WHEN p_is_quarantined AND p_include_quarantined IS NOT TRUE THEN 'quarantined'
                WHEN (p_sensitivity = ANY (p_sensitivities)) IS NOT TRUE THEN 'sensitivity' END
$$;

ALTER FUNCTION why_hidden OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION why_hidden TO suture_app, suture_review;
