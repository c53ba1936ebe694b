-- The usersets of an audience by its number; p_usersets are those of the number -1 (known_audience).
CREATE OR REPLACE FUNCTION usersets_of_audience(p_tenant uuid, p_number int, p_usersets text[]) RETURNS text[]
LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    IF p_number = -1 THEN RETURN p_usersets; END IF;
    RETURN (SELECT a.usersets FROM governance_audience a WHERE a.tenant_id = p_tenant AND a.number = p_number);
END $$;
