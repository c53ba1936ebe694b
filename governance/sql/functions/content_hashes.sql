-- executable by: suture_app
-- The hashes of contents, for the entries that name them; no row for a missing content.
CREATE OR REPLACE FUNCTION content_hashes(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, sha256 bytea)
LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY SELECT i.id, c.sha256::bytea FROM unnest(p_ids) i (id) CROSS JOIN LATERAL (
        SELECT y.sha256 FROM governance_content y WHERE y.tenant_id = p_tenant AND y.id = i.id LIMIT 1) c;
END $$;
