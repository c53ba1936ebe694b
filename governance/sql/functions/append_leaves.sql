-- executable by: suture_app
-- Append leaves for rows of a kind, in the given order, with the hashes in their receipts. Existing leaves stay
-- unchanged. The tree must be locked. Only append-only tables can be sealed: a leaf is permanent.
CREATE OR REPLACE FUNCTION append_leaves(p_tenant uuid, p_kind text, p_table text, p_ids uuid[], p_hashes bytea[])
RETURNS TABLE (leaf_position bigint, leaf_row uuid, leaf_hash bytea) LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_custom_plan
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off AS $$
DECLARE
    base bigint;
    added bigint;
    known uuid[];
BEGIN
    PERFORM require_job(p_tenant);
    IF NOT EXISTS (SELECT FROM pg_trigger g WHERE g.tgrelid = to_regclass(quote_ident(p_table))
                   AND g.tgfoid = 'governance_deny_change'::regproc) THEN
        RAISE EXCEPTION 'only append-only tables can be sealed, not %', p_table USING ERRCODE = 'SU400';
    END IF;
    SELECT t.size INTO STRICT base FROM governance_merkletree t WHERE t.tenant_id = p_tenant FOR UPDATE;
    known := ARRAY(SELECT l.row_id FROM governance_leaf l
        WHERE l.tenant_id = p_tenant AND l.kind = p_kind AND l.row_id = ANY (p_ids));
    RETURN QUERY
    INSERT INTO governance_leaf AS l (tenant_id, position, kind, row_id, hash)
    SELECT p_tenant, base + row_number() OVER (ORDER BY n.place) - 1, p_kind, n.id, n.hash
    FROM unnest(p_ids, p_hashes) WITH ORDINALITY n (id, hash, place) WHERE n.id <> ALL (known)
    RETURNING l.position, l.row_id, l.hash;
    GET DIAGNOSTICS added = ROW_COUNT;
    UPDATE governance_merkletree t SET size = base + added WHERE t.tenant_id = p_tenant;
END $$;
