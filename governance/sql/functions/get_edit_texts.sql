-- executable by: suture_app
-- The proposed texts of edits. The service checks who may read them.
CREATE OR REPLACE FUNCTION get_edit_texts(p_tenant uuid, p_edits uuid[]) RETURNS TABLE (edit_id uuid, body text)
LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY SELECT e.id, c.body FROM unnest(p_edits) AS i (id)
        CROSS JOIN LATERAL (
            SELECT x.* FROM governance_edit x WHERE x.tenant_id = p_tenant AND x.id = i.id LIMIT 1) e
        CROSS JOIN LATERAL content_of(p_tenant, e.content_id) c;
END $$;
