-- The terms of a text in normal form (word_text) that a question asks for: as text_vector, without single Chinese characters.
CREATE OR REPLACE FUNCTION question_terms(p_language regconfig, p_words text) RETURNS text[] LANGUAGE sql IMMUTABLE
PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT tsvector_to_array(
        word_vector(p_language, p_words, concat_ws(' ', word_variants(p_words), identifier_parts(p_words))))
$$;
