-- Whether a part of a query is an identifier whose parts belong together. A compound without digits (well-known) is not.
CREATE OR REPLACE FUNCTION is_whole(p_part text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT is_identifier(p_part) AND (p_part ~ '[0-9]' OR p_part !~ '^[^[:alnum:]]*[[:alpha:]]+(-[[:alpha:]]+)+[^[:alnum:]]*$')
$$;
