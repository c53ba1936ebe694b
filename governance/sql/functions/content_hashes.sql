-- The hashes of contents, for the entries that name them; no row for a content that is gone.
CREATE OR REPLACE FUNCTION content_hashes(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, sha256 bytea)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY SELECT i.id, c.sha256::bytea FROM unnest(p_ids) i (id) CROSS JOIN LATERAL (
        SELECT y.sha256 FROM governance_content y WHERE y.tenant_id = p_tenant AND y.id = i.id LIMIT 1) c;
END $$;

ALTER FUNCTION content_hashes OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION content_hashes TO suture_app;
