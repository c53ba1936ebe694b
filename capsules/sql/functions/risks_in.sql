-- executable by: suture_review
-- The JSON list of the risks in a content row: the author's own risks are that list, an amend is JSON (capsule_amend).
CREATE OR REPLACE FUNCTION risks_in(p_body text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce((capsule_amend(p_body) -> 'risks')::text, p_body)
$$;
