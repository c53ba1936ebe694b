-- The words within the identifiers of a text in normal form (word_text), or '' if there are none: of camelCase, snake_case
-- and dotted names, paths, addresses and compounds, and the file's name at the end of a path. The parts of a version or
-- another number are no words. Stretches of more than 200 characters are left out.
CREATE OR REPLACE FUNCTION identifier_parts(p_text text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF NOT is_identifier(p_text) THEN RETURN ''; END IF;
    RETURN coalesce((
        SELECT string_agg(
            regexp_replace(regexp_replace(
                translate(i.written, '-./\:@#&=~_?%*!+', '                '),
                '([[:lower:]0-9])([[:upper:]])', '\1 \2', 'g'),
                '([[:upper:]])([[:upper:]][[:lower:]])', '\1 \2', 'g')
            || CASE WHEN i.written ~ '[/\\][^/\\]*[.][^/\\]' THEN
                ' ' || regexp_replace(i.written, '^.*[/\\]', '') ELSE '' END, ' ')
        FROM string_to_table(translate(p_text, E'\n\r\t,;|"''(){}[]', '             '), ' ') i (written)
        WHERE length(i.written) BETWEEN 3 AND 200 AND is_identifier(i.written)
          AND i.written !~ '^[^[:alnum:]]*[vV]?[0-9]+([.:][0-9]+)*[^[:alnum:]]*$'), '');
END $$;
