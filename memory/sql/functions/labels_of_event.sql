-- The metadata of an event, and when its time to live ends; NULL if it has none. Only messages have them.
CREATE OR REPLACE FUNCTION labels_of_event(p_tenant uuid, p_event uuid, OUT metadata jsonb, OUT expires_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    e memory_event;
    fields jsonb;
BEGIN
    SELECT * INTO e FROM event_of(p_tenant, p_event);
    IF e.kind IS DISTINCT FROM 'message' OR e.fields_id IS NULL THEN RETURN; END IF;
    fields := (SELECT c.body::jsonb FROM content_left(p_tenant, e.fields_id, e.id) c);
    metadata := fields -> 'metadata';
    expires_at := e.ts + (fields ->> 'ttl')::numeric * interval '1 second';
END $$;
