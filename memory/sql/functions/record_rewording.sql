-- Record what readers get for a content row of a record, or for a span of it: a content row of its own.
CREATE OR REPLACE FUNCTION record_rewording(
    p_tenant uuid, p_content uuid, p_start int, p_end int, p_record uuid, p_text text, p_values uuid[]
) RETURNS uuid LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    words uuid := new_id();
    salt bytea := uuid_send(gen_random_uuid());
BEGIN
    INSERT INTO governance_content (tenant_id, id, salt, body, sha256)
    VALUES (p_tenant, words, salt, p_text, sha256(salt || convert_to(p_text, 'UTF8')));
    INSERT INTO memory_rewording (tenant_id, id, content_id, span_start, span_end, record_id, value_ids)
    VALUES (p_tenant, words, p_content, p_start, p_end, p_record, p_values);
    RETURN words;
END $$;
