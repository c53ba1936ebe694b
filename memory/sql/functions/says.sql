-- Whether a text contains another one, in the normal form and as whole words; both in that form (normal_text). False if
-- one is NULL. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION says(p_text text, p_part text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(strpos(' ' || p_text || ' ', ' ' || p_part || ' ') > 0, false)
$$;
