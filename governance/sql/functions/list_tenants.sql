-- Which tenants there are, for jobs that go from tenant to tenant. Ids only.
CREATE OR REPLACE FUNCTION list_tenants() RETURNS TABLE (id uuid, slug text) LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT t.id, t.slug::text FROM governance_tenant t ORDER BY t.slug
$$;

ALTER FUNCTION list_tenants OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION list_tenants TO suture_app, suture_owner;
