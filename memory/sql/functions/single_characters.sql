-- The Chinese characters of a text, each once: a question of one character finds it within a word. A question of more
-- asks for their pairs (spaced_text).
CREATE OR REPLACE FUNCTION single_characters(p_text text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN octet_length(p_text) = length(p_text) THEN '' ELSE coalesce((
        SELECT string_agg(DISTINCT m[1], ' ')
        FROM regexp_matches(p_text, '([\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])', 'g') m), '') END
$$;
