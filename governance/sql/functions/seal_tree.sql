-- executable by: suture_app
-- Finish a seal: store the root over all leaves and the newly completed subtrees, and mark the receipts as sealed.
CREATE OR REPLACE FUNCTION seal_tree(
    p_tenant uuid, p_size bigint, p_root bytea, p_levels smallint[], p_indexes bigint[], p_hashes bytea[],
    p_receipts uuid[], p_caught_up timestamptz, p_swept timestamptz
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM require_job(p_tenant);
    INSERT INTO governance_treenode (tenant_id, id, level, index, hash)
    SELECT p_tenant, new_id(), x.level, x.index, x.hash FROM unnest(p_levels, p_indexes, p_hashes) AS x (level, index, hash);
    DELETE FROM governance_unsealedreceipt u WHERE u.tenant_id = p_tenant AND u.id = ANY (p_receipts);
    UPDATE governance_merkletree t SET root = p_root, sealed_at = statement_timestamp(),
        caught_up_at = coalesce(p_caught_up, t.caught_up_at), swept_at = coalesce(p_swept, t.swept_at)
    WHERE t.tenant_id = p_tenant AND t.size = p_size;
    IF NOT FOUND THEN RAISE EXCEPTION 'the tree has changed since it was read' USING ERRCODE = 'SU409'; END IF;
END $$;
