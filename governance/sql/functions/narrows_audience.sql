-- Whether everyone who hears p_new also hears p_old, whatever the relations: each audience of p_old contains one of p_new.
-- NULL is the default, which all readers of the channel hear. p_usersets are those of the number -1 (known_audience).
CREATE OR REPLACE FUNCTION narrows_audience(p_tenant uuid, p_old int[], p_new int[], p_usersets text[]) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    RETURN NOT EXISTS (
        SELECT FROM unnest(p_old) o (number) WHERE NOT EXISTS (
            SELECT FROM unnest(p_new) n (number)
            WHERE n.number = o.number OR usersets_of_audience(p_tenant, n.number, p_usersets)
                <@ usersets_of_audience(p_tenant, o.number, p_usersets)));
END $$;
