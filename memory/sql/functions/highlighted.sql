-- The matching passages as HTML: the text escaped, matches in <mark>. NULL unless p_wanted. In some locales, the parser
-- takes curly quotes, dashes and other signs beyond ASCII for letters of the word beside them: \x01, which nobody sees,
-- parts them.
CREATE OR REPLACE FUNCTION highlighted(p_language regconfig, p_text text, p_query tsquery, p_wanted boolean) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN p_wanted THEN translate(ts_headline(p_language, parsable_text(regexp_replace(
        replace(replace(replace(p_text, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'),
        '([\u00a0-\u00a9\u00ab\u00ac\u00ae-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u2000-\u200a\u2010-\u2029\u202f-\u205f'
        '\u2190-\u2bff\u3000-\u3003\u3008-\u3020\uff01-\uff0f\uff1a-\uff20])', E'\x01\\1\x01', 'g')), p_query,
        'StartSel=<mark>, StopSel=</mark>, MaxFragments=2, MaxWords=30, MinWords=10, FragmentDelimiter=" … "'),
        E'\x01', '') END
$$;
