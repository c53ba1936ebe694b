-- The content row that readers get for one of a record: itself, or its text as reworded, which store_reworded_content
-- has stored (NULL if it has not), or what an erasure left of it. p_is_json: the JSON of further fields.
CREATE OR REPLACE FUNCTION reworded_content(
    p_tenant uuid, p_content uuid, p_record uuid, p_about value_place, p_is_json boolean
) RETURNS uuid LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
    left_of_it uuid := spared_text(p_tenant, p_content, p_record);
    said record;
BEGIN
    IF left_of_it IS NULL OR NOT has_guards(p_tenant) THEN RETURN coalesce(left_of_it, p_content); END IF;
    SELECT * INTO said FROM reworded_fields(p_tenant, left_of_it, p_about, p_is_json);
    IF said.after IS NULL THEN RETURN left_of_it; END IF;
    RETURN stored_rewording(p_tenant, left_of_it, NULL, NULL, p_record, said.after);
END $$;
