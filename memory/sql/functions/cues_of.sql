-- The words of a text as numbers, to look up whether the text may contain a removed value: each value is indexed by its
-- two longest words. A text without words has one cue. This runs for every recorded text, so it has no settings of its
-- own and calls few functions.
CREATE OR REPLACE FUNCTION cues_of(p_text text) RETURNS bigint[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE cues bigint[];
BEGIN
    cues := ARRAY(SELECT DISTINCT hashtextextended(w, 0) FROM unnest(words_of(p_text)) w);
    RETURN CASE WHEN cues = '{}' THEN ARRAY[hashtextextended('', 0)] ELSE cues END;
END $$;
