-- Whether a text says these words in a row.
CREATE OR REPLACE FUNCTION says_words(p_text text, p_words text[]) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT strpos(' ' || array_to_string(value_words(p_text), ' ') || ' ', ' ' || array_to_string(p_words, ' ') || ' ') > 0
$$;
