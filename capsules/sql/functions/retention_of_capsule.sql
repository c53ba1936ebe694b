-- The retention of a capsule's words: never `committed`, so an erasure may delete them.
CREATE OR REPLACE FUNCTION retention_of_capsule(p_tenant uuid, p_capsule uuid) RETURNS text LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
BEGIN
    RETURN (SELECT 'relationship' FROM capsules_capsule c WHERE c.tenant_id = p_tenant AND c.id = p_capsule);
END $$;
