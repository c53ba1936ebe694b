-- executable by: suture_review
-- The text of a chunk: a content row, or a span of one in characters. A span that was cut because its neighbour was
-- edited begins or ends between words.
CREATE OR REPLACE FUNCTION span_of(body text, span_start int, span_end int) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT CASE WHEN span_start IS NULL THEN body ELSE btrim(substr(body, span_start + 1, span_end - span_start), E' \t\r\n')
    END $$;
