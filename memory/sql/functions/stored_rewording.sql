-- The content row that has a text as reworded for a record, or NULL if there is none yet.
CREATE OR REPLACE FUNCTION stored_rewording(
    p_tenant uuid, p_content uuid, p_start int, p_end int, p_record uuid, p_text text
) RETURNS uuid LANGUAGE plpgsql STABLE SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN (
        SELECT r.id FROM memory_rewording r CROSS JOIN LATERAL content_of(p_tenant, r.id) c
        WHERE r.tenant_id = p_tenant AND r.content_id = p_content AND r.record_id = p_record
          AND r.span_start IS NOT DISTINCT FROM p_start AND r.span_end IS NOT DISTINCT FROM p_end AND c.body = p_text
        ORDER BY r.id DESC LIMIT 1);
END $$;
