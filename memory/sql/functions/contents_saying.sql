-- The content rows of the tenant that say these words in a row, also those that no reader gets any more. Reads all of
-- them, so it takes seconds for 100,000. In the JSON of further fields, a line break is `\n`, which would join words.
CREATE OR REPLACE FUNCTION contents_saying(p_tenant uuid, p_words text[]) RETURNS uuid[] LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
DECLARE
    -- what every text has that says them: a word without digits, since those may have separators
    sure text := (SELECT w FROM unnest(p_words) w WHERE w ~ '^[a-z]+$' ORDER BY length(w) DESC LIMIT 1);
BEGIN
    RETURN ARRAY(
        SELECT c.id FROM governance_content c
        WHERE c.tenant_id = p_tenant
          AND (sure IS NULL OR octet_length(c.body) > length(c.body) OR strpos(lower(c.body), sure) > 0)
          AND (says_words(c.body, p_words)
              OR strpos(c.body, '\') > 0 AND says_words(regexp_replace(c.body, '\\([bfnrt]|u[0-9a-f]{4})', ' ', 'g'), p_words)));
END $$;
