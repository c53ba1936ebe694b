-- A JSON list of the usersets of each audience of a record, whose readers hear all of them; empty for the default. p_usersets
-- are those of the number -1 (known_audience).
CREATE OR REPLACE FUNCTION usersets_of_audiences(p_tenant uuid, p_audience int[], p_usersets text[]) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    RETURN (
        SELECT coalesce(jsonb_agg(usersets_of_audience(p_tenant, n, p_usersets) ORDER BY n), '[]') FROM unnest(p_audience) n);
END $$;
