-- The texts of an event besides its chunks: the statement, title or name of its typed record, independent of the
-- event's text; and its text, if the only chunk contains more than the text.
CREATE OR REPLACE FUNCTION names_of_event(p_tenant uuid, p_event uuid) RETURNS TABLE (body text) LANGUAGE plpgsql STABLE
SECURITY DEFINER ROWS 1 SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN QUERY
    SELECT c.body FROM memory_decision d CROSS JOIN LATERAL content_of(p_tenant, d.content_id) c
    WHERE d.tenant_id = p_tenant AND d.event_id = p_event
    UNION ALL
    SELECT c.body FROM memory_task t CROSS JOIN LATERAL content_of(p_tenant, t.content_id) c
    WHERE t.tenant_id = p_tenant AND t.event_id = p_event
    UNION ALL
    SELECT c.body FROM memory_artifact a CROSS JOIN LATERAL content_of(p_tenant, a.content_id) c
    WHERE a.tenant_id = p_tenant AND a.event_id = p_event
    UNION ALL
    SELECT c.body FROM memory_event e
    JOIN memory_chunk k ON k.tenant_id = p_tenant AND k.event_id = e.id AND k.total_chunks = 1
        AND k.content_id <> e.content_id
    CROSS JOIN LATERAL content_of(p_tenant, e.content_id) c
    WHERE e.tenant_id = p_tenant AND e.id = p_event;
END $$;
