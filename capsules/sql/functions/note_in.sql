-- The note, and the JSON of the risks, that a content row gives a capsule: the capsule's own or that of an amend.
CREATE OR REPLACE FUNCTION note_in(p_body text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(capsule_amend(p_body) ->> 'text', p_body)
$$;

ALTER FUNCTION note_in OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION note_in TO suture_review;
