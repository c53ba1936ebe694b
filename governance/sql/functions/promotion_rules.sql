-- executable by: suture_app
-- The promotion thresholds in force in a tenant, by name.
CREATE OR REPLACE FUNCTION promotion_rules(p_tenant uuid) RETURNS jsonb LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN standard_promotion_rules() || (SELECT t.promotion_rules FROM governance_tenant t WHERE t.id = p_tenant);
END $$;
