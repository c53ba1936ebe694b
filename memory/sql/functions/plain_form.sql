-- A text in lower case and one Unicode form, to compare it with another: without invisible characters
-- (Default_Ignorable_Code_Point), with one character for all single quotes, double quotes, hyphens and long dashes.
-- Superscripts and fractions stay apart from what precedes them: x² is not x2, and 1½ is not 11/2. memory/normal_text.py
-- does the same.
CREATE OR REPLACE FUNCTION plain_form(p_text text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    unseen constant text := '\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E'
        '\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A'
        '\U000E0000-\U000E0FFF';
    t text := p_text;
BEGIN
    IF octet_length(t) = length(t) THEN RETURN lower(t); END IF;
    IF t ~ ('[\u00B2\u00B3\u00B9\u00BC-\u00BE\u2070\u2071\u2074-\u207F\u2150-\u215F\u2189' || unseen || ']') THEN
        t := regexp_replace(t, '[' || unseen || ']+', '', 'g');
        t := regexp_replace(t, '[\u00B2\u00B3\u00B9\u2070\u2071\u2074-\u207F]+', '^\&', 'g');
        t := regexp_replace(t, '[\u00BC-\u00BE\u2150-\u215F\u2189]', ' \&', 'g');
    END IF;
    t := translate(t,
        E'\u0085\u2028\u2029\u0130\u00B4\u2018\u2019\u201A\u201B\u2032\u2039\u203A\u00AB\u00BB\u201C\u201D\u201E'
        '\u201F\u2033\u2010\u2011\u2012\u2013\u2212\u2015',
        E'\n\n\ni''''''''''''''''"""""""-----\u2014');
    -- normalize() sorts the combining marks of a letter in quadratic time: a joiner ends a run of a hundred
    t := replace(normalize(regexp_replace(t, '[^\x01-\x7F]{100}', E'\\&\u034F', 'g'), NFKC), E'\u034F', '');
    RETURN translate(lower(t), E'\u2044\u03C2', E'/\u03C3');
END $$;
