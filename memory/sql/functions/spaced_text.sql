-- A text with spaces, so that a parser finds its words: in scripts without spaces (Chinese, Japanese, Thai, Lao, Khmer,
-- Burmese), every two neighbouring characters form a word, as in " 東京 京都 " for 東京都. Questions are treated the same way,
-- so a phrase still matches.
CREATE OR REPLACE FUNCTION spaced_text(p_text text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
DECLARE
    unspaced constant text := unspaced_scripts();
BEGIN
    IF octet_length(p_text) = length(p_text) OR p_text !~ ('[' || unspaced || ']') THEN RETURN p_text; END IF;
    RETURN (
        SELECT string_agg(coalesce(part.other, ' ' || adjacent_pairs(part.run) || ' '), '' ORDER BY part.place)
        FROM (SELECT m[1] AS run, m[2] AS other, place
              FROM regexp_matches(p_text, '([' || unspaced || ']+)|([^' || unspaced || ']+)', 'g')
                  WITH ORDINALITY AS r (m, place)) part
    );
END $$;
