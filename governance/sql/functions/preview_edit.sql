-- executable by: suture_app, suture_review
-- Two rows: the target now, and with p_edit, a JSON object of the fields of applied_edit, applied last. Includes the
-- text, even of retracted targets: the service must check whether the caller may read it.
CREATE OR REPLACE FUNCTION preview_edit(p_tenant uuid, p_target_type text, p_target uuid, p_edit jsonb)
RETURNS SETOF target_preview LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
    proposed applied_edit := proposed_edit(p_tenant, p_target, p_edit);
    preview text;
BEGIN
    PERFORM require_tenant(p_tenant);
    PERFORM require_target_type(p_target_type);
    preview := format('SELECT * FROM %I($1, $2, $3)', 'preview_of_' || p_target_type);
    RETURN QUERY EXECUTE preview USING p_tenant, p_target, NULL::applied_edit;
    RETURN QUERY EXECUTE preview USING p_tenant, p_target, proposed;
END $$;
