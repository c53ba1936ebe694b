-- executable by: suture_review
-- The JSON object of an amend of a capsule (docs/decisions/0007-amended-risks.md); NULL for the author's own words.
-- PostgreSQL inlines this function, note_in and risks_in into queries for many capsules, so they have no SET clause.
CREATE OR REPLACE FUNCTION capsule_amend(p_body text) RETURNS json LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN starts_with(p_body, chr(30)) THEN substr(p_body, 2)::json END
$$;
