-- The digest of what a text says, to compare two texts: its letters and digits in lower case with single spaces, in one
-- Unicode form, without invisible characters (Default_Ignorable_Code_Point). A text without letters and digits, such as
-- emoji, is compared by its characters.
CREATE OR REPLACE FUNCTION normal_digest(p_text text) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT sha256(convert_to(coalesce(
        nullif(btrim(regexp_replace(lower(t.shown), '[^[:alnum:]]+', ' ', 'g')), ''),
        btrim(regexp_replace(t.shown, '\s+', ' ', 'g'))), 'UTF8'))
    FROM (SELECT normalize(regexp_replace(p_text, '[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F'
        '\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8\U0001BCA0-\U0001BCA3'
        '\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]+', '', 'g'), NFKC) AS shown) t
$$;

ALTER FUNCTION normal_digest OWNER TO suture_gate;
