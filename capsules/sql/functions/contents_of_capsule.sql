-- The content rows that hold the words of capsules.
CREATE OR REPLACE FUNCTION contents_of_capsule(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, content_id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY SELECT x.id, c FROM capsules_capsule x CROSS JOIN LATERAL unnest(ARRAY[x.note_id, x.risks_id]) c
        WHERE x.tenant_id = p_tenant AND x.id = ANY (p_ids) AND c IS NOT NULL;
END $$;

ALTER FUNCTION contents_of_capsule OWNER TO suture_gate;
