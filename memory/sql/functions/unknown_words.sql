-- unknown_terms of a query, for a search that found nothing.
CREATE OR REPLACE FUNCTION unknown_words(p_tenant uuid, p_query text) RETURNS TABLE (word text, known text[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    PERFORM acting(p_tenant);
    RETURN QUERY SELECT * FROM unknown_terms(p_tenant, (parse_question(search_language(p_tenant), p_query)).terms);
END $$;

ALTER FUNCTION unknown_words OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION unknown_words TO suture_app;
