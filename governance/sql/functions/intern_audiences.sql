-- executable by: suture_app
-- Give the audiences of edits, a JSON array of arrays of usersets, their numbers. A caller that locks targets before it
-- proposes edits calls this first: recordings number audiences before they lock anything (intern_audience).
CREATE OR REPLACE FUNCTION intern_audiences(p_tenant uuid, p_audiences jsonb) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
BEGIN
    PERFORM acting_writer(p_tenant);
    PERFORM intern_audience(p_tenant, ARRAY(SELECT jsonb_array_elements_text(a)))
    FROM jsonb_array_elements(p_audiences) a WHERE a <> '[]';
END $$;
