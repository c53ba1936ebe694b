-- An edit of a target that is not recorded yet, from a JSON object of the fields of applied_edit.
CREATE OR REPLACE FUNCTION proposed_edit(p_tenant uuid, p_target uuid, p_edit jsonb) RETURNS applied_edit LANGUAGE plpgsql
STABLE SECURITY DEFINER AS $$
DECLARE proposed applied_edit := jsonb_populate_record(NULL::applied_edit, p_edit);
BEGIN
    proposed.id := gen_random_uuid();
    proposed.target_id := p_target;
    IF proposed.body IS NOT NULL THEN proposed.content_id := gen_random_uuid(); END IF;
    IF proposed.usersets IS NOT NULL THEN proposed.audience := known_audience(p_tenant, proposed.usersets); END IF;
    RETURN proposed;
END $$;
