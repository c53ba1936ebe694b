-- The requested items with their sensitivity, which is NULL if the author cannot find the memory: a memory that does
-- not exist and one that they may not see look the same.
CREATE OR REPLACE FUNCTION find_items(p_tenant uuid, p_items json, p_listening text[], p_reader reader) RETURNS TABLE (
    place text, sensitivity text
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    RETURN QUERY
    SELECT i.place, CASE i.kind
        WHEN 'chunk' THEN (
            SELECT x.sensitivity FROM memory_effectivechunk x
            WHERE x.tenant_id = p_tenant AND x.id = i.id AND is_seen(x, p_listening, p_reader, false))
        WHEN 'decision' THEN (
            SELECT d.sensitivity FROM memory_effectivedecision d
            WHERE d.tenant_id = p_tenant AND d.id = i.id
              AND why_decision_hidden(d, p_listening, p_reader, false) IS NULL)
        WHEN 'artifact' THEN (
            -- an artifact has the state of the chunks of its event
            SELECT a.sensitivity FROM memory_artifact a
            WHERE a.tenant_id = p_tenant AND a.id = i.id AND (
                SELECT bool_and(is_seen(x, p_listening, p_reader, false)) FROM effective_chunks_of(p_tenant, a.event_id) x
                WHERE x.superseded_by IS NULL)) END
    FROM json_to_recordset(p_items) AS i (place text, at int, kind text, id uuid)
    ORDER BY i.at;
END $$;
