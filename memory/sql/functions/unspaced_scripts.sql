-- The characters of scripts without spaces between words, as the inside of a character class. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION unspaced_scripts() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF\u3005-\u3007\u3040-\u30FA\u30FC-\u30FF'
        '\u31F0-\u31FF\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\uFF66-\uFF9F\U00020000-\U0003FFFF'
$$;
