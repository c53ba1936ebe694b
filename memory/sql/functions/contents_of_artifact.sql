-- The content rows that hold the words of artifacts.
CREATE OR REPLACE FUNCTION contents_of_artifact(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, content_id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY SELECT x.id, x.content_id FROM memory_artifact x WHERE x.tenant_id = p_tenant AND x.id = ANY (p_ids);
END $$;

ALTER FUNCTION contents_of_artifact OWNER TO suture_gate;
