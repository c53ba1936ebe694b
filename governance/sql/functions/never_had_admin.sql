-- Whether a tenant is just being created: no person was ever its admin. Then its acting admin is the superuser who
-- creates it (enter_founder), and manages the accounts of the whole server.
CREATE OR REPLACE FUNCTION never_had_admin(p_tenant uuid) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER AS $$
    SELECT NOT EXISTS (SELECT FROM governance_membership m WHERE m.tenant_id = p_tenant AND m.role = 'admin')
$$;
