-- The normal form of a text or a query, before the parser finds its words: one form for all ways to write the same, in
-- every locale of the database. It has compatible characters (NFKC) and ASCII digits, plain quotes, and spaces for all
-- other signs beyond ASCII; no invisible characters; no separators of thousands (2,500 is 2500); no vowel points, and one
-- form of letters with variants in Arabic, Persian, Urdu and Hebrew. A sign before a number parts words (CVE-2026-2332).
-- Letters keep their case, which the parser folds. The function is idempotent.
CREATE OR REPLACE FUNCTION word_text(p_text text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    -- digits of other scripts, each from 0 to 9
    digits constant text := '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९০১২৩৪৫৬৭৮৯੦੧੨੩੪੫੬੭੮੯૦૧૨૩૪૫૬૭૮૯'
        '୦୧୨୩୪୫୬୭୮୯௦௧௨௩௪௫௬௭௮௯౦౧౨౩౪౫౬౭౮౯೦೧೨೩೪೫೬೭೮೯൦൧൨൩൪൫൬൭൮൯๐๑๒๓๔๕๖๗๘๙'
        '໐໑໒໓໔໕໖໗໘໙༠༡༢༣༤༥༦༧༨༩၀၁၂၃၄၅၆၇၈၉០១២៣៤៥៦៧៨៩᠐᠑᠒᠓᠔᠕᠖᠗᠘᠙';
    other_digits constant text := '[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\u0a66-\u0a6f\u0ae6-\u0aef\u0b66-\u0b6f'
        '\u0be6-\u0bef\u0c66-\u0c6f\u0ce6-\u0cef\u0d66-\u0d6f\u0e50-\u0e59\u0ed0-\u0ed9\u0f20-\u0f29'
        '\u1040-\u1049\u17e0-\u17e9\u1810-\u1819]';
    unseen constant text := '[' || invisible_characters() || ']';
    signs constant text := '[' || signs_beyond_ascii() || ']+';
    t text := p_text;
BEGIN
    IF octet_length(t) <> length(t) THEN
        t := regexp_replace(t, unseen, '', 'g');  -- before NFKC, which composes what they kept apart
        IF t ~ other_digits THEN
            t := translate(t, digits, repeat('0123456789', length(digits) / 10));
        END IF;
        -- before NFKC, which makes plain spaces of the special ones
        t := regexp_replace(t, '([0-9])[\u00a0\u2009\u202f\u2019\u066c](?=[0-9]{3}(?![0-9]))', '\1', 'g');
        t := normalize(t, NFKC);
        -- apostrophes and quotes of all kinds
        t := translate(t, E'\u2019\u2018\u201b\u02bc\u02bb\u02b9\u2032\u00b4\u05f3\u201c\u201d\u201e\u201f\u2033\u05f4\u00ab\u00bb',
            repeat('''', 9) || repeat('"', 8));
        IF t ~ '[\u0590-\u06ff]' THEN
            t := regexp_replace(t, '[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]', '', 'g');
            -- alef, waw and yeh with hamza and other seats, Persian and Urdu letters
            t := translate(t, E'\u0623\u0625\u0622\u0671\u0624\u0626\u0649\u06cc\u06d0\u06d2\u06a9\u06aa\u0629\u06c0\u06c1\u06d5\u06be\u06ba',
                E'\u0627\u0627\u0627\u0627\u0648\u064a\u064a\u064a\u064a\u064a\u0643\u0643\u0647\u0647\u0647\u0647\u0647\u0646');
            -- an abbreviation or a foreign sound (מנכ"ל, ג'ירפה), and doubled letters of the spelling without points
            t := regexp_replace(t, '([\u05d0-\u05ea])["''](?=[\u05d0-\u05ea])', '\1', 'g');
            t := regexp_replace(t, '([\u05d5\u05d9])\1+', '\1', 'g');
        END IF;
        t := replace(replace(t, 'ß', 'ss'), 'ς', 'σ');
        t := regexp_replace(t, signs, ' ', 'g');
        -- Korean endings stick to numbers and foreign words
        t := regexp_replace(t, '([0-9A-Za-z])(?=[\uac00-\ud7a3])', '\1 ', 'g');
    END IF;
    t := regexp_replace(t, '([0-9])[,''](?=[0-9]{3}(?![0-9]))', '\1', 'g');
    -- else the parser takes the sign for a part of the number; the parts of an identifier stay together
    t := regexp_replace(t, '(?<=[[:alnum:]])[-+](?=[0-9])', '_', 'g');
    t := regexp_replace(t, '[-+](?=[0-9])', ' ', 'g');
    RETURN translate(t, '<>', '  ');
END $$;
