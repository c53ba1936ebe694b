-- Invisible characters, as the inside of a character class; suture_client/text/invisible.py names them. PostgreSQL
-- inlines it.
CREATE OR REPLACE FUNCTION invisible_characters() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f'
        '\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff'
$$;
