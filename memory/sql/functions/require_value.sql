-- Refuse a value without two letters or digits, of stop words only, or with more than 100 words; and who acts in another
-- tenant.
CREATE OR REPLACE FUNCTION require_value(p_tenant uuid, p_value text) RETURNS void LANGUAGE plpgsql STABLE SECURITY DEFINER
AS $$
DECLARE words text[] := value_words(p_value);
BEGIN
    PERFORM require_tenant(p_tenant);
    IF length(array_to_string(words, '')) < 2 OR numnode(value_query(p_tenant, words)) = 0 THEN
        RAISE EXCEPTION 'a value needs at least two letters or digits, and a word that is not a stop word such as "the"' USING ERRCODE = 'SU400', CONSTRAINT = 'value_says_nothing';
    END IF;
    IF cardinality(words) > 100 THEN
        RAISE EXCEPTION 'a value has at most 100 words' USING ERRCODE = 'SU400', CONSTRAINT = 'value_too_long';
    END IF;
END $$;
