-- A JSON value with every string, key and number in it reworded.
CREATE OR REPLACE FUNCTION reworded_json(p_tenant uuid, p_json jsonb, p_about value_place, p_is_new boolean DEFAULT false)
RETURNS jsonb LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE r record;
BEGIN
    CASE jsonb_typeof(p_json)
        WHEN 'string', 'number' THEN
            r := reworded(p_tenant, p_json #>> '{}', p_about, p_is_new);
            RETURN CASE WHEN r.value_ids = '{}' THEN p_json ELSE to_jsonb(r.text) END;
        WHEN 'array' THEN RETURN (
            SELECT coalesce(jsonb_agg(reworded_json(p_tenant, e.one, p_about, p_is_new) ORDER BY e.n), '[]')
            FROM jsonb_array_elements(p_json) WITH ORDINALITY e (one, n));
        WHEN 'object' THEN RETURN (
            SELECT coalesce(jsonb_object_agg(
                (reworded(p_tenant, e.key, p_about, p_is_new)).text, reworded_json(p_tenant, e.value, p_about, p_is_new)), '{}')
            FROM jsonb_each(p_json) e);
        ELSE RETURN p_json;
    END CASE;
END $$;
