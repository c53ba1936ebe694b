-- The words of a text in normal form (word_text, in lower case), in which values are found, with the places of their
-- first and last character in the text, from 1. A number with separators is one word (1,500 and 10.0.0.1), so that 500
-- is not a part of it; so is each character of scripts without spaces, and of Hangul, whose words have endings.
CREATE OR REPLACE FUNCTION words_in_place(p_text text) RETURNS TABLE (place int, word text, first int, last int)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE ROWS 100 AS $$
DECLARE
    single constant text := unspaced_scripts() || '\uAC00-\uD7A3';
    pieces constant text := '([0-9]{1,3}(?:[,''\u2019\u00a0\u2009\u202f\u066c][0-9]{3})+(?![0-9])(?:\.[0-9]+)*|[0-9]+(?:\.[0-9]+)+'
        || CASE WHEN octet_length(p_text) = length(p_text) THEN '|[0-9A-Za-z]+)|([^0-9A-Za-z]+)'
           ELSE '|[' || single || ']|(?:[^\u0001-\u007f' || signs_beyond_ascii() || single || ']|[0-9A-Za-z'
               || invisible_characters() || '])+)|([\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007f'
               || signs_beyond_ascii() || ']+)' END;
BEGIN
    RETURN QUERY
    SELECT row_number() OVER (ORDER BY s.n)::int, s.form, (s.upto - length(s.written) + 1)::int, s.upto::int FROM (
        SELECT r.n, r.m[1] AS written, sum(length(coalesce(r.m[1], r.m[2]))) OVER (ORDER BY r.n) AS upto,
            CASE WHEN octet_length(r.m[1]) = length(r.m[1]) THEN lower(translate(r.m[1], ',''', ''))
                ELSE lower(replace(word_text(r.m[1]), ' ', '')) END AS form
        FROM regexp_matches(p_text, pieces, 'g') WITH ORDINALITY AS r (m, n)
    ) s WHERE s.form <> '';
END $$;
