-- The content row of a record's text: p_content itself or, if an erasure by value deleted it, the newest text that it
-- left for this record (spare_text); NULL if the text was erased as a whole.
CREATE OR REPLACE FUNCTION spared_text(p_tenant uuid, p_content uuid, p_record uuid) RETURNS uuid LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    IF EXISTS (SELECT FROM content_of(p_tenant, p_content)) THEN RETURN p_content; END IF;
    RETURN (
        SELECT r.id FROM memory_rewording r CROSS JOIN LATERAL content_of(p_tenant, r.id) c
        WHERE r.tenant_id = p_tenant AND r.content_id = p_content AND r.record_id = p_record
        ORDER BY r.id DESC LIMIT 1);
END $$;
