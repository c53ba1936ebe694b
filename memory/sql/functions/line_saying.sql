-- The part of a text around the words of a value, or else its beginning: up to 60 characters on either side.
CREATE OR REPLACE FUNCTION line_saying(p_text text, p_words text[]) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    said text[];
    firsts int[];
    lasts int[];
    place int;
BEGIN
    SELECT array_agg(w.word ORDER BY w.place), array_agg(w.first ORDER BY w.place), array_agg(w.last ORDER BY w.place)
    INTO said, firsts, lasts FROM words_in_place(p_text) w;
    SELECT n INTO place FROM generate_subscripts(said, 1) n
    WHERE said[n : n + cardinality(p_words) - 1] = p_words ORDER BY n LIMIT 1;
    IF place IS NULL THEN RETURN left(p_text, 120); END IF;
    RETURN CASE WHEN firsts[place] > 61 THEN '…' ELSE '' END
        || substr(p_text, greatest(1, firsts[place] - 60), lasts[place + cardinality(p_words) - 1] + 60 - greatest(0, firsts[place] - 61))
        || CASE WHEN length(p_text) > lasts[place + cardinality(p_words) - 1] + 60 THEN '…' ELSE '' END;
END $$;
