-- Whether any value is forgotten or replaced in the tenant. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION has_guards(p_tenant uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM memory_guard g WHERE g.tenant_id = p_tenant)
$$;
