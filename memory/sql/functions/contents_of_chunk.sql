-- The content rows that hold the words of chunks.
CREATE OR REPLACE FUNCTION contents_of_chunk(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, content_id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY SELECT x.id, x.content_id FROM memory_chunk x WHERE x.tenant_id = p_tenant AND x.id = ANY (p_ids);
END $$;

ALTER FUNCTION contents_of_chunk OWNER TO suture_gate;
