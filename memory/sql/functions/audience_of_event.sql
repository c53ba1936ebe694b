-- executable by: suture_app
-- The audience of an event as readers see it: that of all its chunks together, and its own while it has none.
CREATE OR REPLACE FUNCTION audience_of_event(p_tenant uuid, p_event uuid) RETURNS int[] LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    found int[];
    chunks bigint;
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT count(DISTINCT x.id), array_agg(DISTINCT n ORDER BY n) FILTER (WHERE n IS NOT NULL) INTO chunks, found
    FROM effective_chunks_of(p_tenant, p_event) x LEFT JOIN LATERAL unnest(x.audience) n ON true;
    IF chunks = 0 THEN SELECT e.audience INTO found FROM event_of(p_tenant, p_event) e; END IF;
    RETURN found;
END $$;
