-- Whether a text has an identifier: a sign between letters or digits, or a capital within a word. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION is_identifier(p_text text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT p_text ~ '[[:alnum:]][-./\\:@#&=~_]+[[:alnum:]]|[[:lower:]0-9][[:upper:]]|[[:upper:]]{2}[[:lower:]]'
$$;
