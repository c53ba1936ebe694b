-- The content row that has a text as reworded for a record (stored_rewording); makes it if there is none yet.
CREATE OR REPLACE FUNCTION store_rewording(
    p_tenant uuid, p_content uuid, p_start int, p_end int, p_record uuid, p_text text, p_values uuid[]
) RETURNS uuid LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    RETURN coalesce(stored_rewording(p_tenant, p_content, p_start, p_end, p_record, p_text),
        record_rewording(p_tenant, p_content, p_start, p_end, p_record, p_text, p_values));
END $$;
