-- The content row of a record's text, or what an erasure by value left of it (spared_text).
CREATE OR REPLACE FUNCTION content_left(p_tenant uuid, p_content uuid, p_record uuid) RETURNS SETOF governance_content
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1 AS $$
BEGIN
    RETURN QUERY SELECT c.* FROM content_of(p_tenant, spared_text(p_tenant, p_content, p_record)) c;
END $$;
