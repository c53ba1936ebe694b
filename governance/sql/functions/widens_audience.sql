-- Whether p_also, an edit that is not recorded yet, gives its target to readers outside its present audience.
CREATE OR REPLACE FUNCTION widens_audience(p_tenant uuid, p_target_type text, p_target uuid, p_also applied_edit)
RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    RETURN NOT narrows_audience(p_tenant, audience_of_target(p_tenant, p_target_type, p_target),
        audience_of_target(p_tenant, p_target_type, p_target, p_also), p_also.usersets);
END $$;
