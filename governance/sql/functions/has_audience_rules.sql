-- Whether the tenant has rules for the audience of new records. PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION has_audience_rules(p_tenant uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM governance_audiencerule r WHERE r.tenant_id = p_tenant)
$$;
