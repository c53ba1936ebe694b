-- executable by: suture_app
-- Whether a query contains anything to search for: a word that is not a stop word, or a condition.
CREATE OR REPLACE FUNCTION names_words(p_tenant uuid, p_query text) RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER
AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN numnode((parse_question(search_language(p_tenant), p_query)).matching) > 0;
END $$;
