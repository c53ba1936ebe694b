-- Whether a content row has this text. True if both are NULL, and for an erased row, which may have had any text.
CREATE OR REPLACE FUNCTION is_content(p_tenant uuid, p_content uuid, p_text text) RETURNS boolean LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
DECLARE c governance_content;
BEGIN
    IF p_content IS NULL OR p_text IS NULL THEN RETURN p_content IS NULL AND p_text IS NULL; END IF;
    SELECT * INTO c FROM governance_content y WHERE y.tenant_id = p_tenant AND y.id = p_content;
    RETURN NOT FOUND OR c.sha256 = sha256(c.salt || convert_to(p_text, 'UTF8'));
END $$;
