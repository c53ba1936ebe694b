-- Leaves from p_from on whose row, hashed again, gives another hash or is gone: what verification asks.
CREATE OR REPLACE FUNCTION check_leaves(p_tenant uuid, p_kind text, p_from bigint, p_until bigint)
RETURNS TABLE (leaf_position bigint, row_id uuid, now_hash bytea) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE wanted uuid[];
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT array_agg(l.row_id) INTO wanted FROM governance_leaf l
    WHERE l.tenant_id = p_tenant AND l.position >= p_from AND l.position < p_until AND l.kind = p_kind;
    IF wanted IS NULL THEN RETURN; END IF;
    RETURN QUERY EXECUTE format(
        'SELECT l.position, l.row_id, leaf_hash(x.leaf) FROM governance_leaf l LEFT JOIN %I($1, $2) x ON x.id = l.row_id'
        ' WHERE l.tenant_id = $1 AND l.position >= $3 AND l.position < $4 AND l.kind = $5'
        ' AND leaf_hash(x.leaf) IS DISTINCT FROM l.hash', 'leaves_of_' || p_kind)
        USING p_tenant, wanted, p_from, p_until, p_kind;
END $$;

ALTER FUNCTION check_leaves OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION check_leaves TO suture_app;
