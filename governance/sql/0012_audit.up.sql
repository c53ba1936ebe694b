-- The audit trail: what an entry mentions, so that the story of one chunk, capsule, edit, key or person can be told.

-- Ids and the actor of an entry, as its metadata names them. Lists of ids too, as long as they are lists of texts.
CREATE FUNCTION entry_mentions(p_metadata jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(array_agg(DISTINCT m), '{}') FROM (
        SELECT v #>> '{}' AS m FROM jsonb_each(p_metadata) e (k, v) WHERE jsonb_typeof(v) = 'string'
        UNION ALL
        SELECT l #>> '{}' FROM jsonb_each(p_metadata) e (k, v)
            CROSS JOIN LATERAL jsonb_array_elements(CASE WHEN jsonb_typeof(v) = 'array' THEN v ELSE '[]' END) l
            WHERE jsonb_typeof(l) = 'string'
        UNION ALL SELECT p_metadata #>> '{actor,id}'
        UNION ALL SELECT p_metadata #>> '{actor,name}'
    ) x WHERE length(m) BETWEEN 1 AND 200
$$;

-- entries that mention something (entries_mentioning)
CREATE INDEX entry_mentions ON governance_entry USING gin (tenant_id, entry_mentions(metadata))
    WITH (gin_pending_list_limit = 256);

-- The newest entries that mention an id, a name or a slug. Ids only.
CREATE FUNCTION entries_mentioning(p_tenant uuid, p_what text, p_limit int) RETURNS TABLE (entry_id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY SELECT e.id FROM governance_entry e
        WHERE e.tenant_id = p_tenant AND entry_mentions(e.metadata) @> ARRAY[p_what]
        ORDER BY e.id DESC LIMIT p_limit;
END $$;

SELECT governance_hand_to_gate(ARRAY['entry_mentions(jsonb)', 'entries_mentioning(uuid,text,int)']::regprocedure[]);
SET ROLE suture_gate;
-- the index is the owner's
GRANT EXECUTE ON FUNCTION entry_mentions(jsonb) TO suture_owner;
GRANT EXECUTE ON FUNCTION entries_mentioning(uuid,text,int) TO suture_app;
RESET ROLE;
