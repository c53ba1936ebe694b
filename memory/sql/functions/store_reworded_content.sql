-- Store what readers get for a content row of a record (reworded_content), if guards change it.
CREATE OR REPLACE FUNCTION store_reworded_content(
    p_tenant uuid, p_content uuid, p_record uuid, p_about value_place, p_is_json boolean
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE said record;
BEGIN
    IF p_content IS NULL OR NOT has_guards(p_tenant) THEN RETURN; END IF;
    SELECT * INTO said FROM reworded_fields(p_tenant, p_content, p_about, p_is_json);
    IF said.after IS NOT NULL THEN
        PERFORM store_rewording(p_tenant, p_content, NULL, NULL, p_record, said.after, said.value_ids);
    END IF;
END $$;
