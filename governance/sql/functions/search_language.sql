-- The language of a tenant's words: the text search configuration by which they are found. `simple` stands for every
-- language that PostgreSQL has none for.
CREATE OR REPLACE FUNCTION search_language(p_tenant uuid) RETURNS regconfig LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN (SELECT t.search_language::regconfig FROM governance_tenant t WHERE t.id = p_tenant);
END $$;
