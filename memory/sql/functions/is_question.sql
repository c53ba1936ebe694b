-- Whether a text ends as a question.
CREATE OR REPLACE FUNCTION is_question(p_text text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT right(rtrim(right(p_text, 100), E' \t\r\n"'')]\u201D\u2019\u00BB'), 1) IN ('?', U&'\FF1F', U&'\061F')
$$;
