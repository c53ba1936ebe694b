-- A text without some words in a row, wherever it says them: "[…]" stands for them.
CREATE OR REPLACE FUNCTION without_words(p_text text, p_words text[]) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
DECLARE
    length constant int := cardinality(p_words);
    said text[];
    firsts int[];
    lasts int[];
    pieces text := '';
    reached int := 0;
    place int := 1;
BEGIN
    SELECT array_agg(w.word ORDER BY w.place), array_agg(w.first ORDER BY w.place), array_agg(w.last ORDER BY w.place)
    INTO said, firsts, lasts FROM words_in_place(p_text) w;
    WHILE place + length - 1 <= cardinality(said) LOOP
        IF said[place : place + length - 1] = p_words THEN
            pieces := pieces || substr(p_text, reached + 1, firsts[place] - reached - 1) || '[…]';
            reached := lasts[place + length - 1];
            place := place + length;
        ELSE
            place := place + 1;
        END IF;
    END LOOP;
    RETURN pieces || substr(p_text, reached + 1);
END $$;
