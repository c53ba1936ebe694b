-- The search for texts that may say a value: all of its words that the language indexes. Empty if there is none.
CREATE OR REPLACE FUNCTION value_query(p_tenant uuid, p_words text[]) RETURNS tsquery LANGUAGE plpgsql STABLE AS $$
DECLARE
    spoken regconfig := search_language(p_tenant);
    q tsquery := '';
    w text;
BEGIN
    FOREACH w IN ARRAY p_words LOOP q := q && plainto_tsquery(spoken, spaced_text(w)); END LOOP;
    RETURN q;
END $$;
