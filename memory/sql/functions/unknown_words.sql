-- executable by: suture_app
-- unknown_terms of a query, for a search that found nothing.
CREATE OR REPLACE FUNCTION unknown_words(p_tenant uuid, p_query text) RETURNS TABLE (word text, known text[])
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN QUERY SELECT * FROM unknown_terms(p_tenant, (parse_question(search_language(p_tenant), p_query)).terms,
        reader_with(p_tenant, '{""}' || (acting(p_tenant)).channels || '{none,low}'));
END $$;
