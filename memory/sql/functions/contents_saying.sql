-- The content rows of the tenant that say these words in a row, also those that no reader gets any more. It reads all of
-- them, most of them once: what is ASCII, apart from a few signs, and lacks the longest word is not read closely.
CREATE OR REPLACE FUNCTION contents_saying(p_tenant uuid, p_words text[]) RETURNS uuid[] LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
DECLARE
    longest text := (SELECT w FROM unnest(p_words) w WHERE w ~ '^[a-z0-9.]+$' ORDER BY length(w) DESC LIMIT 1);
    -- separators within numbers (words_in_place), and frequent signs
    signs constant text := E',''\u2019\u00a0\u2009\u202f\u066c\u2018\u201c\u201d\u2013\u2014\u2026';
BEGIN
    RETURN ARRAY(
        SELECT c.id FROM governance_content c
        CROSS JOIN LATERAL (SELECT translate(lower(c.body), signs, '') AS text OFFSET 0) plain
        WHERE c.tenant_id = p_tenant
          AND CASE WHEN longest IS NULL OR octet_length(plain.text) > length(plain.text) OR strpos(plain.text, longest) > 0
              THEN content_says(c.body, p_words) ELSE false END);
END $$;
