-- executable by: suture_app
-- Let the actor ask on behalf of a principal for the rest of this transaction, if its key may speak for it. The rights of
-- the key's owner stay; memory with an audience is what the principal may hear. Answers the context that was open, so that
-- the caller can put it back.
CREATE OR REPLACE FUNCTION speak_for(p_tenant uuid, p_principal text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting(p_tenant);
    opened text := current_setting('suture.context');
BEGIN
    IF is_principal(p_principal) IS NOT TRUE THEN
        RAISE EXCEPTION 'a principal has the form type:id, such as patient:ada'
            USING ERRCODE = 'SU400', CONSTRAINT = 'malformed_principal';
    END IF;
    IF NOT EXISTS (
        SELECT FROM governance_apikey k WHERE k.tenant_id = p_tenant AND k.id = me.key_id
          AND k.speaks_for && ARRAY['*', split_part(p_principal, ':', 1) || ':*', p_principal])
    THEN
        RAISE EXCEPTION 'this key may not speak for %; ask an admin of the tenant for a key that may', p_principal
            USING ERRCODE = 'SU403', CONSTRAINT = 'may_not_speak_for';
    END IF;
    PERFORM open_context(p_tenant, me.kind, me.id, me.name, me.roles, me.channels, me.held_by, me.key_id, p_principal);
    RETURN opened;
END $$;
