-- Whether the text of a record exists, as recorded and as it is now: it does unless it was erased. Includes p_also, an
-- edit that is not recorded yet.
CREATE OR REPLACE FUNCTION has_words(
    p_tenant uuid, p_recorded uuid, p_effective uuid, p_also applied_edit DEFAULT NULL
) RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    RETURN EXISTS (SELECT 1 FROM governance_content c WHERE c.tenant_id = p_tenant AND c.id = p_recorded)
        AND (p_effective = p_recorded OR p_also.body IS NOT NULL AND p_effective = p_also.content_id
            OR EXISTS (SELECT 1 FROM governance_content c WHERE c.tenant_id = p_tenant AND c.id = p_effective));
END $$;
