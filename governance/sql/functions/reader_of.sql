-- What the actor may hear in some channels, after checking that they may use these: the labels (sensitivities_heard),
-- whether every audience, as people with a role who govern the memory do, and the audiences by their numbers: bit n is
-- 1 if the actor hears audience n.
CREATE OR REPLACE FUNCTION reader_of(p_tenant uuid, p_listening text[]) RETURNS reader LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting(p_tenant);
    found reader;
BEGIN
    found := (sensitivities_heard(p_tenant, p_listening), me.kind <> 'agent', ''::varbit);
    RETURN found;
END $$;
