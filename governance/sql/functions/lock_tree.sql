-- executable by: suture_app
-- Lock the tenant's tree until the end of the transaction; no row if another process has locked it.
CREATE OR REPLACE FUNCTION lock_tree(p_tenant uuid) RETURNS TABLE (
    size bigint, root bytea, sealed_at timestamptz, caught_up_at timestamptz, swept_at timestamptz
) LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM require_job(p_tenant);
    INSERT INTO governance_merkletree (tenant_id, id, size) VALUES (p_tenant, new_id(), 0) ON CONFLICT DO NOTHING;
    RETURN QUERY SELECT t.size, t.root, t.sealed_at, t.caught_up_at, t.swept_at FROM governance_merkletree t
        WHERE t.tenant_id = p_tenant FOR UPDATE SKIP LOCKED;
END $$;
