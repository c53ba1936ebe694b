-- What everybody may hear who listens in some channels, once it is sure that the actor speaks in them: private and team
-- hear `high` too, the others do not, and nobody ever hears `secret`. Every function that answers words to a listener
-- begins with it. NULL where nobody in particular listens, which agents may not ask for.
CREATE OR REPLACE FUNCTION sensitivities_heard(p_tenant uuid, p_listening text[]) RETURNS text[] LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    IF p_listening IS NULL AND me.kind <> 'agent' THEN RETURN NULL; END IF;
    IF p_listening IS NULL OR p_listening = '{}' OR NOT p_listening <@ me.channels THEN
        RAISE EXCEPTION 'this key does not speak in that channel' USING ERRCODE = 'SU403';
    END IF;
    RETURN CASE WHEN p_listening <@ '{private,team}' THEN '{none,low,high}' ELSE '{none,low}' END;
END $$;

ALTER FUNCTION sensitivities_heard OWNER TO suture_gate;
