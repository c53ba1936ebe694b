-- executable by: suture_app
-- Whether a reader hears the audience of an event.
CREATE OR REPLACE FUNCTION hears_event(p_reader reader, p_tenant uuid, p_event uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN (p_reader).hears_all THEN true ELSE hears(p_reader, audience_of_event(p_tenant, p_event)) END
$$;
