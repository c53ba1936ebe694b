-- executable by: suture_app
-- The actor as a reader with these labels instead of those of one request: for what it reads without a channel.
CREATE OR REPLACE FUNCTION reader_with(p_tenant uuid, p_labels text[]) RETURNS reader LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting(p_tenant);
    found reader := (p_labels, false, ''::varbit);
BEGIN
    IF me.kind <> 'agent' OR me.channels <> '{}' THEN
        found := reader_of(p_tenant, CASE WHEN me.kind = 'agent' THEN me.channels END);
        found.labels := p_labels;
    END IF;
    RETURN found;
END $$;
