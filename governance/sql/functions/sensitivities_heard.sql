-- The labels of memory that the listeners of at least one of some channels may hear, after checking that the actor may use
-- these channels: every channel of the actor's key, and the sensitivities `none` and `low`, in private and team also `high`.
-- No reader gets `secret`. A record has two labels, its channel and its sensitivity (why_hidden). Every function that
-- returns text to listeners first calls it. The first label is the actor's own, such as agent:<id>, for records that are
-- blocked for this reader alone (hide_from_recorder). NULL without particular listeners, which agents may not request.
CREATE OR REPLACE FUNCTION sensitivities_heard(p_tenant uuid, p_listening text[]) RETURNS text[] LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    IF p_listening IS NULL AND me.kind <> 'agent' THEN RETURN NULL; END IF;
    IF p_listening IS NULL OR p_listening = '{}' OR NOT p_listening <@ me.channels THEN
        RAISE EXCEPTION 'this key may not use that channel' USING ERRCODE = 'SU403';
    END IF;
    RETURN (me.kind || ':' || me.id) || me.channels
        || CASE WHEN p_listening && '{private,team}' THEN '{none,low,high}'::text[] ELSE '{none,low}' END;
END $$;
