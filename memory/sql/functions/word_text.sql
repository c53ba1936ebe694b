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
    -- suture_client/text/invisible.py names them
    unseen constant text := '[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f'
        '\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]';
    -- punctuation, symbols and spaces beyond ASCII
    signs constant text := '['
        '\u0080-\u00a9\u00ab\u00ac\u00ae-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u02c2-\u02c5'
        '\u02d2-\u02df\u02e5-\u02eb\u02ed\u02ef-\u02ff\u0375\u037e\u0387\u03f6\u0482\u055a-\u055f'
        '\u0589-\u058f\u05be\u05c0\u05c3\u05c6\u05f3\u05f4\u0606-\u060f\u061b-\u061f\u066a-\u066d\u06d4'
        '\u06de\u06e9\u06fd\u06fe\u0700-\u070d\u0964\u0965\u0970\u09f2-\u09fb\u0af0\u0af1\u0b70'
        '\u0bf0-\u0bfa\u0df4\u0e3f\u0e4f\u0e5a\u0e5b\u0f01-\u0f17\u0f3a-\u0f3d\u104a-\u104f\u10fb'
        '\u1360-\u1368\u1400\u166d\u166e\u1680\u16eb-\u16ed\u17d4-\u17d6\u17d8-\u17db\u1800-\u180a'
        '\u2000-\u206f\u20a0-\u20cf\u2100-\u214f\u2190-\u2bff\u2ce5-\u2cea\u2cf9-\u2cff\u2e00-\u2e2e'
        '\u2e30-\u2fff\u3000-\u3004\u3008-\u3020\u3030\u303d-\u303f\u30a0\u30fb\u3190-\u319f\u31c0-\u31ef'
        '\ua4fe\ua4ff\ua60d-\ua60f\ua6f2-\ua6f7\ua78a\ufd3e\ufd3f\ufdfc-\ufdff\ufe10-\ufe6f\ufffc-\uffff'
        '\U0001f000-\U0001fbff'
        ']+';
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
