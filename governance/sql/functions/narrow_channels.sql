-- executable by: suture_app
-- Let the actor read only memory recorded in p_channels for the rest of this transaction. It takes channels away and adds
-- none. Answers the context that was open, so that the caller can put it back.
CREATE OR REPLACE FUNCTION narrow_channels(p_tenant uuid, p_channels text[]) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting(p_tenant);
    opened text := current_setting('suture.context');
BEGIN
    PERFORM open_context(p_tenant, me.kind, me.id, me.name, me.roles,
        ARRAY(SELECT c FROM unnest(me.channels) c WHERE c = ANY (p_channels)), me.held_by, me.key_id,
        me.on_behalf_of);
    RETURN opened;
END $$;
