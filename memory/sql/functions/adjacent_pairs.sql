-- The pairs of neighbouring characters of a word, as in "東京 京都" for 東京都; the word itself if it has one character.
CREATE OR REPLACE FUNCTION adjacent_pairs(p_word text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(string_agg(two.this || two.next, ' ' ORDER BY two.place), p_word)
    FROM (SELECT c.this, c.place, lead(c.this) OVER (ORDER BY c.place) AS next
          FROM unnest(string_to_array(p_word, NULL)) WITH ORDINALITY c (this, place)) two
    WHERE two.next IS NOT NULL
$$;
