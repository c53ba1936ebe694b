-- Make leaves of up to p_limit rows of a kind that are none yet, with ids beyond p_after (NULL: whatever their id), and of
-- those up to p_after that were noted as stragglers; in order of their ids. The tree must be locked. Only append-only
-- tables can be sealed: a leaf is for ever.
CREATE OR REPLACE FUNCTION append_leaves(p_tenant uuid, p_kind text, p_table text, p_after uuid, p_limit int)
RETURNS TABLE (leaf_position bigint, leaf_row uuid, leaf_hash bytea) LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_custom_plan
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off AS $$
DECLARE
    wanted uuid[];
    noted uuid[];
    page uuid[];
    base bigint;
    added bigint;
BEGIN
    PERFORM require_job(p_tenant);
    IF NOT EXISTS (SELECT FROM pg_trigger g WHERE g.tgrelid = to_regclass(quote_ident(p_table))
                   AND g.tgfoid = 'governance_deny_change'::regproc) THEN
        RAISE EXCEPTION 'only append-only tables can be sealed, not %', p_table USING ERRCODE = 'SU400';
    END IF;
    SELECT t.size INTO STRICT base FROM governance_merkletree t WHERE t.tenant_id = p_tenant FOR UPDATE;
    noted := ARRAY(SELECT s.row_id FROM governance_straggler s
        WHERE s.tenant_id = p_tenant AND s."table" = p_table AND s.row_id <= p_after ORDER BY s.row_id LIMIT p_limit);
    wanted := ARRAY(SELECT unnest(noted) EXCEPT
        SELECT l.row_id FROM governance_leaf l
        WHERE l.tenant_id = p_tenant AND l.kind = p_kind AND l.row_id = ANY (noted));
    -- Page by page, the sealed ones of a page in one look: joined row by row, with no statistics of new leaves yet, every
    -- row walked all of the tenant's leaves.
    WHILE cardinality(wanted) < p_limit LOOP
        EXECUTE format(
            'SELECT array_agg(n.id ORDER BY n.id) FROM (SELECT x.id FROM %I x WHERE x.tenant_id = $1'
            ' AND ($2 IS NULL OR x.id > $2) ORDER BY x.id LIMIT $3) n', p_table)
            INTO page USING p_tenant, p_after, p_limit;
        EXIT WHEN page IS NULL;
        wanted := wanted || ARRAY(
            SELECT unnest(page) EXCEPT
            SELECT l.row_id FROM governance_leaf l
            WHERE l.tenant_id = p_tenant AND l.kind = p_kind AND l.row_id = ANY (page)
            ORDER BY 1);
        EXIT WHEN cardinality(page) < p_limit;
        p_after := page[cardinality(page)];
    END LOOP;
    wanted := wanted[1:p_limit];
    -- what becomes a leaf now, or was one, is no straggler any more
    IF EXISTS (SELECT FROM governance_straggler s WHERE s.tenant_id = p_tenant AND s."table" = p_table) THEN
        DELETE FROM governance_straggler s
        WHERE s.tenant_id = p_tenant AND s."table" = p_table AND s.row_id = ANY (noted || wanted);
    END IF;
    IF cardinality(wanted) = 0 THEN RETURN; END IF;
    RETURN QUERY EXECUTE format(
        'INSERT INTO governance_leaf (tenant_id, position, kind, row_id, hash)'
        ' SELECT $1, $2 + row_number() OVER (ORDER BY x.id) - 1, $3, x.id, leaf_hash(x.leaf) FROM %I($1, $4) x'
        ' RETURNING position, row_id, hash', 'leaves_of_' || p_kind)
        USING p_tenant, base, p_kind, wanted;
    GET DIAGNOSTICS added = ROW_COUNT;
    UPDATE governance_merkletree t SET size = base + added WHERE t.tenant_id = p_tenant;
END $$;

ALTER FUNCTION append_leaves OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION append_leaves TO suture_app;
