-- The text search configuration for a tenant's language. `simple` is for languages that PostgreSQL does not support.
CREATE OR REPLACE FUNCTION search_language(p_tenant uuid) RETURNS regconfig LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN (SELECT t.search_language::regconfig FROM governance_tenant t WHERE t.id = p_tenant);
END $$;
