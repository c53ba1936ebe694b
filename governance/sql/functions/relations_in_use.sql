-- executable by: suture_app
-- The names of relations that the tenant has used.
CREATE OR REPLACE FUNCTION relations_in_use(p_tenant uuid) RETURNS SETOF text LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT DISTINCT r.relation FROM governance_relationtuple r WHERE r.tenant_id = p_tenant
    UNION SELECT unnest(ARRAY[i.relation, i.implies]) FROM governance_impliedrelation i WHERE i.tenant_id = p_tenant;
END $$;
