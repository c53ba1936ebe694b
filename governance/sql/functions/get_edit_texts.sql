-- executable by: suture_app
-- The proposed texts of edits. The service checks who may read them.
CREATE OR REPLACE FUNCTION get_edit_texts(p_tenant uuid, p_edits uuid[]) RETURNS TABLE (edit_id uuid, body text)
LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY SELECT e.id, c.body FROM governance_edit e
        CROSS JOIN LATERAL content_of(p_tenant, e.content_id) c
        WHERE e.tenant_id = p_tenant AND e.id = ANY (p_edits);
END $$;
