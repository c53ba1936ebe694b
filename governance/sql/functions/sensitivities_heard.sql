-- The labels of memory that everybody may hear who listens in some channels, once it is sure that the actor speaks in
-- them: every channel of the actor's key, wherever it listens, and the sensitivities `none` and `low`, in private and
-- team also `high`. Nobody hears `secret`. A record has two labels, its channel and its sensitivity (why_hidden). Every
-- function that answers words to a listener begins with it. NULL where nobody in particular listens, which agents may
-- not ask for.
CREATE OR REPLACE FUNCTION sensitivities_heard(p_tenant uuid, p_listening text[]) RETURNS text[] LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    IF p_listening IS NULL AND me.kind <> 'agent' THEN RETURN NULL; END IF;
    IF p_listening IS NULL OR p_listening = '{}' OR NOT p_listening <@ me.channels THEN
        RAISE EXCEPTION 'this key does not speak in that channel' USING ERRCODE = 'SU403';
    END IF;
    RETURN me.channels
        || CASE WHEN p_listening <@ '{private,team}' THEN '{none,low,high}'::text[] ELSE '{none,low}' END;
END $$;
