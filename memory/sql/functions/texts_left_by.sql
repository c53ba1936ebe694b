-- executable by: suture_app
-- The texts that an erasure by value deleted, each with the content row that is left of it for a record and its hash.
CREATE OR REPLACE FUNCTION texts_left_by(p_tenant uuid, p_erasure uuid)
RETURNS TABLE (erased_id uuid, content_id uuid, sha256 bytea) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT r.content_id, r.id, c.sha256::bytea FROM (
        SELECT DISTINCT i.content_id FROM governance_erasureitem i
        WHERE i.tenant_id = p_tenant AND i.erasure_id = p_erasure) e
    JOIN memory_rewording r ON r.tenant_id = p_tenant AND r.content_id = e.content_id
    CROSS JOIN LATERAL content_of(p_tenant, r.id) c
    ORDER BY 1, 2;
END $$;
