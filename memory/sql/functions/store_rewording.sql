-- The content row that has a text as reworded for a record (stored_rewording); makes it if there is none yet of these
-- values: a revert finds it by them.
CREATE OR REPLACE FUNCTION store_rewording(
    p_tenant uuid, p_content uuid, p_start int, p_end int, p_record uuid, p_text text, p_values uuid[]
) RETURNS uuid LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    words uuid := stored_rewording(p_tenant, p_content, p_start, p_end, p_record, p_text);
    salt bytea := uuid_send(gen_random_uuid());
BEGIN
    IF NOT EXISTS (SELECT FROM memory_rewording r WHERE r.tenant_id = p_tenant AND r.id = words AND r.value_ids @> p_values) THEN
        words := new_id();
        INSERT INTO governance_content (tenant_id, id, salt, body, sha256)
        VALUES (p_tenant, words, salt, p_text, sha256(salt || convert_to(p_text, 'UTF8')));
        INSERT INTO memory_rewording (tenant_id, id, content_id, span_start, span_end, record_id, value_ids)
        VALUES (p_tenant, words, p_content, p_start, p_end, p_record, p_values);
    END IF;
    RETURN words;
END $$;
