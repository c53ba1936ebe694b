-- executable by: suture_app
-- Up to p_limit rows of a kind that are neither sealed nor in an unsealed receipt, in order of id. Each row is
-- committed with its receipt, so there are none unless rows were inserted past the server.
CREATE OR REPLACE FUNCTION rows_without_receipt(p_tenant uuid, p_kind text, p_table text, p_limit int) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET plan_cache_mode = force_custom_plan
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off AS $$
DECLARE
    page_size constant int := 10000;
    page uuid[];
    found uuid[] := '{}';
    after uuid;
    is_last boolean;
BEGIN
    PERFORM require_job(p_tenant);
    -- Page by page, with one lookup of the sealed rows of a page: without statistics of new leaves, a join scanned all
    -- leaves of the tenant for every row. A later statement, which sees the receipts of all rows of the page, compares
    -- the unsealed rows with the receipts.
    WHILE cardinality(found) < p_limit LOOP
        EXECUTE format(
            'SELECT array_agg(n.id ORDER BY n.id) FROM (SELECT x.id FROM %I x WHERE x.tenant_id = $1'
            ' AND ($2 IS NULL OR x.id > $2) ORDER BY x.id LIMIT $3) n', p_table)
            INTO page USING p_tenant, after, page_size;
        EXIT WHEN page IS NULL;
        after := page[cardinality(page)];
        is_last := cardinality(page) < page_size;
        page := ARRAY(
            SELECT unnest(page) EXCEPT
            SELECT l.row_id FROM governance_leaf l
            WHERE l.tenant_id = p_tenant AND l.kind = p_kind AND l.row_id = ANY (page) ORDER BY 1);
        IF cardinality(page) > 0 THEN
            found := found || ARRAY(
                SELECT unnest(page) EXCEPT
                SELECT unnest(r.row_ids) FROM governance_unsealedreceipt u
                JOIN governance_receipt r ON r.tenant_id = u.tenant_id AND r.id = u.id WHERE u.tenant_id = p_tenant
                ORDER BY 1);
        END IF;
        EXIT WHEN is_last;
    END LOOP;
    RETURN QUERY SELECT unnest(found[1:p_limit]);
END $$;
