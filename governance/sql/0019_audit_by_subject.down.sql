SET ROLE suture_gate;
DROP FUNCTION entries_mentioning(uuid,text[],uuid,uuid,int);
RESET ROLE;

CREATE FUNCTION entries_mentioning(p_tenant uuid, p_what text, p_limit int) RETURNS TABLE (entry_id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY SELECT e.id FROM governance_entry e
        WHERE e.tenant_id = p_tenant AND entry_mentions(e.metadata) @> ARRAY[p_what]
        ORDER BY e.id DESC LIMIT p_limit;
END $$;

SELECT governance_hand_to_gate(ARRAY['entries_mentioning(uuid,text,int)']::regprocedure[]);
SET ROLE suture_gate;
GRANT EXECUTE ON FUNCTION entries_mentioning(uuid,text,int) TO suture_app;
RESET ROLE;
