-- The audience of an edit that is not recorded yet: its number if it has one, else -1, which stands for its usersets; '{}'
-- for the default.
CREATE OR REPLACE FUNCTION known_audience(p_tenant uuid, p_usersets text[]) RETURNS int[] LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
BEGIN
    IF p_usersets = '{}' THEN RETURN '{}'; END IF;
    RETURN ARRAY[coalesce((
        SELECT a.number FROM governance_audience a
        WHERE a.tenant_id = p_tenant AND a.digest = digest_of_usersets(p_usersets)), -1)];
END $$;
