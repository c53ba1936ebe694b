-- Store what readers get for the texts of a decision or a task's update, and for the amends of it: p_words, and p_details,
-- JSON of further fields.
CREATE OR REPLACE FUNCTION store_rewordings_of(p_tenant uuid, p_record uuid, p_event uuid, p_words uuid, p_details uuid)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE about value_place;
BEGIN
    IF NOT has_guards(p_tenant) THEN RETURN; END IF;
    SELECT (place_of_event(e)).* INTO about FROM event_of(p_tenant, p_event) e;
    PERFORM store_reworded_content(p_tenant, p_details, p_record, about, true);
    PERFORM store_reworded_content(p_tenant, p_words, p_record, about, false);
    PERFORM store_reworded_content(p_tenant, x.content_id, p_record, about, false)
    FROM applied_edits(p_tenant, p_record || ARRAY(
        SELECT c.id FROM memory_chunk c WHERE c.tenant_id = p_tenant AND c.event_id = p_event), NULL) x
    WHERE x.content_id IS NOT NULL;
END $$;
