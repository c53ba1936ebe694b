-- executable by: suture_app
-- The proposed texts of edits, as the apps let them be read now: an app `<name>` may have a function
-- edit_text_to_read_of_<name>(tenant, text). The service checks who may read them.
CREATE OR REPLACE FUNCTION get_edit_texts(p_tenant uuid, p_edits uuid[]) RETURNS TABLE (edit_id uuid, body text)
LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
    step text;
    said text := 'c.body';
BEGIN
    PERFORM require_tenant(p_tenant);
    FOR step IN SELECT f FROM functions_beginning('edit_text_to_read_of_') f LOOP
        said := format('%I($1, %s)', step, said);
    END LOOP;
    RETURN QUERY EXECUTE format('SELECT e.id, %s FROM unnest($2) AS i (id)
        CROSS JOIN LATERAL (
            SELECT x.* FROM governance_edit x WHERE x.tenant_id = $1 AND x.id = i.id LIMIT 1) e
        CROSS JOIN LATERAL content_of($1, e.content_id) c', said) USING p_tenant, p_edits;
END $$;
