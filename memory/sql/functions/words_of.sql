-- The words of a text, without symbols: those of normal_text(), for a fraction of its time.
CREATE OR REPLACE FUNCTION words_of(p_text text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT array_remove(string_to_array(regexp_replace(
        plain_form(p_text),
        '[ \t-\r\x01\x02!-/:-@\[-`{-~\u00A1-\u00A9\u00AB-\u00B1\u00B4\u00B6-\u00B8\u00BB\u00BF\u00D7\u00F7'
        '\u2010-\u205E\u20A0-\u20CF\u2100-\u214F\u2190-\u2BFF\u3001-\u3003\u3008-\u3020\u3030\uFFFC\uFFFD'
        '\U0001F000-\U0001FAFF]+', ' ', 'g'), ' '), '')
$$;
