-- The number of the audience of these usersets: a principal `type:id`, or `type:id#relation` for all who stand in that
-- relation to it. A reader with one of them hears it.
CREATE OR REPLACE FUNCTION intern_audience(p_tenant uuid, p_usersets text[]) RETURNS int LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE
    u text;
    kept text[] := ARRAY(SELECT DISTINCT x COLLATE "C" FROM unnest(p_usersets) x ORDER BY 1);
BEGIN
    PERFORM require_tenant(p_tenant);
    IF cardinality(kept) NOT BETWEEN 1 AND 1000 THEN
        RAISE EXCEPTION 'an audience has 1 to 1000 principals, roles and relations' USING ERRCODE = 'SU400',
            CONSTRAINT = 'malformed_audience';
    END IF;
    FOREACH u IN ARRAY kept LOOP
        IF (is_principal(split_part(u, '#', 1))
            AND (u NOT LIKE '%#%' OR is_relation(substr(u, strpos(u, '#') + 1)))) IS NOT TRUE
        THEN
            RAISE EXCEPTION '% is neither a principal (type:id) nor a relation to an object (type:id#relation)', u
                USING ERRCODE = 'SU400', CONSTRAINT = 'malformed_audience';
        END IF;
    END LOOP;
    RETURN intern_form(p_tenant, kept, '{}');
END $$;
