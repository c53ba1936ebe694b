-- executable by: suture_review
-- The note in a content row: the author's own note is the plain text, an amend is JSON (capsule_amend).
CREATE OR REPLACE FUNCTION note_in(p_body text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(capsule_amend(p_body) ->> 'text', p_body)
$$;
