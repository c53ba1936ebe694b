-- Whether the text that readers get of a record is its recorded one, also without values that are forgotten or replaced:
-- no amend replaced it.
CREATE OR REPLACE FUNCTION is_own_text(p_tenant uuid, p_recorded uuid, p_effective uuid) RETURNS boolean LANGUAGE plpgsql
STABLE SECURITY DEFINER AS $$
DECLARE words uuid := p_effective;
BEGIN
    WHILE words <> p_recorded LOOP
        words := (SELECT r.content_id FROM memory_rewording r WHERE r.tenant_id = p_tenant AND r.id = words);
    END LOOP;
    RETURN words IS NOT NULL;
END $$;
