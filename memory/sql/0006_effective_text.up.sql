-- The effective text of each chunk in the projection, and fewer bytes for each chunk.

-- Room on each page for the vector of words, which comes after the row, and for edits: with it, two of three updates stay
-- on their page and add no index entries (HOT). At 85, three of five moved the row, and the table took more pages
-- (measured, at real lengths of texts).
ALTER TABLE memory_effectivechunk SET (fillfactor = 70);

-- The text must not push the vectors, which a search reads for every match, out of the row.
ALTER TABLE memory_effectivechunk SET (toast_tuple_target = 4080);

-- The effective text, NULL if retracted or expired, as the search vector of it. It is no field of the model, because the
-- web role may not read it. The planner keeps no samples of it.
ALTER TABLE memory_effectivechunk ADD COLUMN text text;
ALTER TABLE memory_effectivechunk ALTER COLUMN text SET STATISTICS 0;

UPDATE memory_effectivechunk x SET text = CASE WHEN x.span_start IS NULL THEN c.body
    ELSE btrim(substr(c.body, x.span_start + 1, x.span_end - x.span_start), E' \t\r\n') END
FROM governance_content c
WHERE c.tenant_id = x.tenant_id AND c.id = x.content_id AND NOT x.is_retracted AND NOT x.is_expired;
