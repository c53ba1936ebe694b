-- Other forms of words of a text in normal form (word_text) that find each other: without marks (zürich, zurich), without an
-- apostrophe (o'brien, obrien), and for Korean the pairs of a word's characters, because its endings stick to it.
CREATE OR REPLACE FUNCTION word_variants(p_text text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    unmarked text;
    found text := '';
BEGIN
    IF p_text ~ $q$[[:alnum:]]'[[:alnum:]]$q$ THEN
        found := (SELECT string_agg(replace(m[1], '''', ''), ' ')
                  FROM regexp_matches(p_text, $q$([[:alnum:]]+(?:'[[:alnum:]]+)+)$q$, 'g') m);
    END IF;
    IF octet_length(p_text) = length(p_text) THEN RETURN found; END IF;
    unmarked := translate(
        normalize(regexp_replace(normalize(p_text, NFD), '[\u0300-\u036f]+', '', 'g'), NFC), 'øØłŁđĐı', 'oOlLdDi');
    IF unmarked <> p_text THEN
        found := concat_ws(' ', found, (
            SELECT string_agg(w.other, ' ')
            FROM unnest(string_to_array(p_text, ' '), string_to_array(unmarked, ' ')) w (written, other)
            WHERE w.written <> w.other));
    END IF;
    IF p_text ~ '[\uac00-\ud7a3]{3}' THEN
        found := concat_ws(' ', found, (
            SELECT string_agg(adjacent_pairs(m[1]), ' ') FROM regexp_matches(p_text, '([\uac00-\ud7a3]{3,})', 'g') m));
    END IF;
    RETURN found;
END $$;
