-- How far a removed value is recognised: 'text', if it is all that a text says; 'sentence', also as a sentence of a
-- longer text; 'phrase', also within a sentence. A word or two say too little for that ("yes", "thank you"), and so do
-- three without two that carry meaning. A long value is only known as a whole: chunks of a long text share 50 words.
CREATE OR REPLACE FUNCTION reach_of(p_text text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT CASE
        WHEN cardinality(w.words) = 0 OR cardinality(string_to_array(w.said, ' ')) > 50 THEN 'text'
        WHEN cardinality(w.words) > 2 AND length(to_tsvector('english', w.said)) > 1 THEN 'phrase'
        -- four digits, or a sentence in a writing without spaces
        WHEN cardinality(w.words) > 1 OR w.said ~ '[0-9]{4}|[\u3040-\u9FFF]{4}' THEN 'sentence'
        ELSE 'text' END
    FROM (SELECT words_of(p_text) AS words, normal_text(p_text) AS said) w
$$;
