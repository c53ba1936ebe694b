-- Whether the body of a content row says these words in a row. In the JSON of further fields, a line break is `\n`, which
-- would join words.
CREATE OR REPLACE FUNCTION content_says(p_body text, p_words text[]) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT says_words(p_body, p_words)
        OR strpos(p_body, '\') > 0 AND says_words(regexp_replace(p_body, '\\([bfnrt]|u[0-9a-f]{4})', ' ', 'g'), p_words)
$$;
