-- The content row that readers get for one of a record: itself, or its text as reworded, which store_reworded_content
-- has stored (NULL if it has not). p_is_json: the JSON of further fields.
CREATE OR REPLACE FUNCTION reworded_content(
    p_tenant uuid, p_content uuid, p_record uuid, p_about value_place, p_is_json boolean
) RETURNS uuid LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE said record;
BEGIN
    IF p_content IS NULL OR NOT has_guards(p_tenant) THEN RETURN p_content; END IF;
    SELECT * INTO said FROM reworded_fields(p_tenant, p_content, p_about, p_is_json);
    IF said.before IS NULL THEN
        RETURN coalesce(stored_rewording(p_tenant, p_content, NULL, NULL, p_record, NULL), p_content);
    END IF;
    IF said.after IS NULL THEN RETURN p_content; END IF;
    RETURN stored_rewording(p_tenant, p_content, NULL, NULL, p_record, said.after);
END $$;
