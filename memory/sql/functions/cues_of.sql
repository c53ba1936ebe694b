-- The words of a text as numbers, by which it is looked up whether the text may say a removed value: each value is
-- known by its two longest words. A text without words has one cue. Every recorded text is asked for them, so this has no
-- settings of its own and calls little.
CREATE OR REPLACE FUNCTION cues_of(p_text text) RETURNS bigint[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE cues bigint[];
BEGIN
    cues := ARRAY(SELECT DISTINCT hashtextextended(w, 0) FROM unnest(words_of(p_text)) w);
    RETURN CASE WHEN cues = '{}' THEN ARRAY[hashtextextended('', 0)] ELSE cues END;
END $$;
