-- The words of a text as numbers, by which it is looked up whether the text may say a removed value: each value is
-- known by its longest word. A text without words has one cue.
CREATE OR REPLACE FUNCTION cues_of(p_words text[]) RETURNS bigint[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT coalesce(array_agg(hashtextextended(w, 0)), ARRAY[hashtextextended('', 0)]) FROM unnest(p_words) w
$$;

ALTER FUNCTION cues_of OWNER TO suture_gate;
