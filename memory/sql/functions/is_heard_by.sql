-- Whether the labels and blocks of a chunk let the actor read it in at least one channel of their key, whatever else
-- hides it.
CREATE OR REPLACE FUNCTION is_heard_by(p_tenant uuid, x memory_effectivechunk) RETURNS boolean LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    RETURN EXISTS (
        SELECT FROM unnest(me.channels) c (name)
        WHERE why_hidden(x.audience, false, false, x.blocked_channels, false, x.channel, x.sensitivity, ARRAY[c.name],
            reader_of(p_tenant, ARRAY[c.name]), true) IS NULL);
END $$;
