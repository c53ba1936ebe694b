-- The content rows that hold the amended texts of edits.
CREATE OR REPLACE FUNCTION contents_of_edit(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, content_id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY SELECT e.id, e.content_id FROM governance_edit e
        WHERE e.tenant_id = p_tenant AND e.id = ANY (p_ids) AND e.content_id IS NOT NULL;
END $$;

ALTER FUNCTION contents_of_edit OWNER TO suture_gate;
