-- The content row that has a text as reworded for a record (stored_rewording); makes it if there is none yet of these
-- values: a revert finds the texts to fold by them.
CREATE OR REPLACE FUNCTION store_rewording(
    p_tenant uuid, p_content uuid, p_start int, p_end int, p_record uuid, p_text text, p_values uuid[]
) RETURNS uuid LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE words uuid := stored_rewording(p_tenant, p_content, p_start, p_end, p_record, p_text);
BEGIN
    IF EXISTS (SELECT FROM memory_rewording r
               WHERE r.tenant_id = p_tenant AND r.id = words AND r.value_ids @> p_values) THEN RETURN words; END IF;
    RETURN record_rewording(p_tenant, p_content, p_start, p_end, p_record, p_text, p_values);
END $$;
