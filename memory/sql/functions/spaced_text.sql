-- A text with spaces, so that a parser finds its words: in scripts without spaces (Chinese, Japanese, Thai, Lao, Khmer,
-- Burmese), every two neighbouring characters form a word, as in " 東京 京都 " for 東京都. Questions are treated the same way,
-- so a phrase still matches.
CREATE OR REPLACE FUNCTION spaced_text(p_text text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
DECLARE
    unspaced constant text := '\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF\u3005-\u3007\u3040-\u30FA\u30FC-\u30FF'
        '\u31F0-\u31FF\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\uFF66-\uFF9F\U00020000-\U0003FFFF';
BEGIN
    IF octet_length(p_text) = length(p_text) OR p_text !~ ('[' || unspaced || ']') THEN RETURN p_text; END IF;
    RETURN (
        SELECT string_agg(coalesce(part.other, ' ' || adjacent_pairs(part.run) || ' '), '' ORDER BY part.place)
        FROM (SELECT m[1] AS run, m[2] AS other, place
              FROM regexp_matches(p_text, '([' || unspaced || ']+)|([^' || unspaced || ']+)', 'g')
                  WITH ORDINALITY AS r (m, place)) part
    );
END $$;
