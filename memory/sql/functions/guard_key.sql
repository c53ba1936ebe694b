-- The key of the digests in a tenant's guards.
CREATE OR REPLACE FUNCTION guard_key(p_tenant uuid) RETURNS bytea LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    RETURN (SELECT sha256(s.secret || convert_to('guards of ' || p_tenant, 'UTF8')) FROM governance_contextsecret s);
END $$;
