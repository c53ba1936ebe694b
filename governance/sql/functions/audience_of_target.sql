-- The audience of the target itself, without that of its sources, with p_also applied last: own_audience_of_<target_type> of
-- its app, '{}' for the default. NULL if targets of this type have no audience.
CREATE OR REPLACE FUNCTION audience_of_target(p_tenant uuid, p_target_type text, p_target uuid, p_also applied_edit DEFAULT NULL)
RETURNS int[] LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE found int[];
BEGIN
    IF to_regprocedure(format('%I(uuid,uuid,applied_edit)', 'own_audience_of_' || p_target_type)) IS NULL THEN
        RETURN NULL;
    END IF;
    EXECUTE format('SELECT %I($1, $2, $3)', 'own_audience_of_' || p_target_type) INTO found USING p_tenant, p_target, p_also;
    RETURN coalesce(found, '{}');
END $$;
