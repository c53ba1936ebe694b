-- Like has_metadata, also for a chunk that is retracted or expired: its row has no metadata any more, but its record has.
CREATE OR REPLACE FUNCTION had_metadata(x memory_effectivechunk, p_condition jsonpath) RETURNS boolean LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
BEGIN
    x.metadata := coalesce(x.metadata, (labels_of_event(x.tenant_id, x.event_id)).metadata);
    RETURN has_metadata(x, p_condition);
END $$;
