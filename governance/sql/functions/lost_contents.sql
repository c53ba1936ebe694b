-- The content rows of some rows of a kind that are neither there nor accounted for by an erasure.
CREATE OR REPLACE FUNCTION lost_contents(p_tenant uuid, p_kind text, p_ids uuid[]) RETURNS TABLE (row_id uuid, lost_id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    IF to_regprocedure(format('%I(uuid,uuid[])', 'contents_of_' || p_kind)) IS NULL THEN RETURN; END IF;
    RETURN QUERY EXECUTE format(
        'SELECT x.id, x.content_id FROM %I($1, $2) x'
        ' WHERE NOT EXISTS (SELECT FROM governance_content c WHERE c.tenant_id = $1 AND c.id = x.content_id)'
        ' AND NOT EXISTS (SELECT FROM governance_erasedcontent c WHERE c.tenant_id = $1 AND c.id = x.content_id)',
        'contents_of_' || p_kind) USING p_tenant, p_ids;
END $$;

ALTER FUNCTION lost_contents OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION lost_contents TO suture_app;
