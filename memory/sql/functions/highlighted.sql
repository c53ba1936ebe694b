-- The matching passages as HTML: the text escaped, matches in <mark>. NULL unless p_wanted.
CREATE OR REPLACE FUNCTION highlighted(p_language regconfig, p_text text, p_query tsquery, p_wanted boolean) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN p_wanted THEN ts_headline(p_language, parsable_text(
        replace(replace(replace(p_text, '&', '&amp;'), '<', '&lt;'), '>', '&gt;')), p_query,
        'StartSel=<mark>, StopSel=</mark>, MaxFragments=2, MaxWords=30, MinWords=10, FragmentDelimiter=" … "') END
$$;
