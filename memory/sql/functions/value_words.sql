-- The words of a value in normal form, in which it is found in texts.
CREATE OR REPLACE FUNCTION value_words(p_value text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(array_agg(w.word ORDER BY w.place), '{}') FROM words_in_place(p_value) w
$$;
