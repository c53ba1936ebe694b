-- The content rows that hold the words of decisions.
CREATE OR REPLACE FUNCTION contents_of_decision(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, content_id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY SELECT x.id, c FROM memory_decision x CROSS JOIN LATERAL unnest(ARRAY[x.content_id, x.details_id]) c
        WHERE x.tenant_id = p_tenant AND x.id = ANY (p_ids) AND c IS NOT NULL;
END $$;

ALTER FUNCTION contents_of_decision OWNER TO suture_gate;
