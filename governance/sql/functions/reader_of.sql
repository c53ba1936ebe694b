-- What the actor may hear with some listeners: the labels of sensitivities_heard, and the audiences. People with a role and
-- the operator hear every audience. An agent hears those of the principal on whose behalf it asks, or else its own.
CREATE OR REPLACE FUNCTION reader_of(p_tenant uuid, p_listening text[]) RETURNS reader LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    me acting_context := acting(p_tenant);
    found reader;
BEGIN
    found.labels := sensitivities_heard(p_tenant, p_listening);
    IF me.key_id IS NOT NULL AND me.on_behalf_of IS NULL AND EXISTS (
        SELECT FROM governance_apikey k WHERE k.tenant_id = p_tenant AND k.id = me.key_id AND k.must_speak_for)
    THEN
        RAISE EXCEPTION 'each request with this key must name the principal on whose behalf it asks'
            USING ERRCODE = 'SU400', CONSTRAINT = 'must_name_principal';
    END IF;
    found.hears_all := me.kind <> 'agent' AND me.on_behalf_of IS NULL;
    found.audiences := '';
    IF found.hears_all OR NOT EXISTS (SELECT FROM governance_audience a WHERE a.tenant_id = p_tenant) THEN
        RETURN found;
    END IF;
    found.audiences := audiences_heard(p_tenant, usersets_of(p_tenant, coalesce(me.on_behalf_of, 'agent:' || me.name)));
    RETURN found;
END $$;
