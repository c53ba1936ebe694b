-- What a text says: its words and symbols in order, each between spaces, without quotes and sentence punctuation. In
-- their place stand marks: E'\x02' where a sentence or line ends, E'\x01' where a clause ends. Signs that carry meaning
-- stay: "-500", "C++", "x != y", "1.5", "10:30". memory/normal_text.py does the same, without marks.
CREATE OR REPLACE FUNCTION marked_words(p_text text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    -- all that is neither a word nor white space
    symbols constant text := '!-/:-@\[-`{-~\u00A1-\u00A9\u00AB-\u00B1\u00B4\u00B6-\u00B8\u00BB\u00BF\u00D7\u00F7'
        '\u2010-\u205E\u20A0-\u20CF\u2100-\u214F\u2190-\u2BFF\u3001-\u3003\u3008-\u3020\u3030\uFFFC\uFFFD'
        '\U0001F000-\U0001FAFF';
    t text := translate(plain_form(p_text), E'\x01\x02\t\x0B\f\r', '     ' || E'\n');
BEGIN
    -- a quote after a digit is a prime (5' 6"), if this text has this sign after digits only
    IF t ~ '[0-9]''' AND t !~ '(^|[^0-9])''' THEN t := replace(t, '''', E'\u2032'); END IF;
    IF t ~ '[0-9]"' AND t !~ '(^|[^0-9])"' THEN t := replace(t, '"', E'\u2033'); END IF;
    t := regexp_replace(t, '([^ \n' || symbols || '])''(?=[^ \n' || symbols || '])', '\1 ', 'g');
    t := translate(t, '''"`', E'\x01\x01\x01');
    -- the marker of a quoted line, a heading or an entry of a list
    t := regexp_replace(t, '((?:^|\n) *[>#*+-]+)(?= +[^ 0-9' || symbols || '])', E'\\1\x02', 'g');
    t := replace(t, E'\n', E'\x02');
    t := regexp_replace(t, E'(?<![.!?])[.!?]+(?![^ \x01\x02)\\]}*])|[\u00A1\u00BF\u3002]', E'\x02', 'g');
    t := regexp_replace(t, E'(?<![.,;:!?])[.,;:!?]+(?![^ \x01\x02)\\]}*])|\u3001', E'\x01', 'g');
    t := regexp_replace(t, E'(?<=[^ \x01\x02' || '0-9' || symbols || '])[,;](?=[^ 0-9' || symbols || '])', E'\x01', 'g');
    -- a long dash before a number is its sign, as is a hyphen; others between spaces part clauses
    t := regexp_replace(t, E'(?<![^ \x01\x02])\u2014(?=[0-9$\u00A2-\u00A5\u20A0-\u20CF])', '-', 'g');
    t := regexp_replace(t, E'\u2014|(?<![^ \x01\x02])-+(?![^ \x01\x02])(?! *[0-9$.\u00A2-\u00A5\u20A0-\u20CF])', E'\x01', 'g');
    -- emphasis and brackets around words
    t := regexp_replace(t, E'(?<![^ \x01\x02])[*_]+(?=[^ \x01\x02' || symbols || '])', E'\\&\x01', 'g');
    t := regexp_replace(t, E'(?<![ ' || symbols || '])[*_]+(?![^ \x01\x02])', E'\x01\\&', 'g');
    t := regexp_replace(t, E'(?<![^ \x01\x02])[(\\[{]', E'\x01\\&\x01', 'g');
    t := regexp_replace(t, '[)\]}]', E'\x01\\&', 'g');
    RETURN btrim(regexp_replace(regexp_replace(t, E'[\x01\x02' || symbols || ']', ' \& ', 'g'), ' +', ' ', 'g'), ' ');
END $$;
