-- The text of an edit as it is read now (get_edit_texts): guards change it too. A replaced value is replaced whenever the
-- edit was proposed.
CREATE OR REPLACE FUNCTION edit_text_to_read_of_memory(p_tenant uuid, p_text text) RETURNS text LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
BEGIN
    RETURN (reworded(p_tenant, p_text, NULL)).text;
END $$;
