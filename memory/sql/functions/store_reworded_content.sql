-- Store what readers get for a content row of a record (reworded_content), if guards change it.
CREATE OR REPLACE FUNCTION store_reworded_content(
    p_tenant uuid, p_content uuid, p_record uuid, p_about value_place, p_is_json boolean
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    left_of_it uuid;
    said record;
BEGIN
    IF p_content IS NULL OR NOT has_guards(p_tenant) THEN RETURN; END IF;
    left_of_it := spared_text(p_tenant, p_content, p_record);
    SELECT * INTO said FROM reworded_fields(p_tenant, left_of_it, p_about, p_is_json);
    IF said.after IS NOT NULL THEN
        PERFORM store_rewording(p_tenant, left_of_it, NULL, NULL, p_record, said.after, said.value_ids);
    END IF;
END $$;
