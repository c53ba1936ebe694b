-- executable by: suture_app
-- Create the tenant of this transaction's context: for the operator, and for a superuser who acts as its admin until it
-- has one. Its policy is standard, without rules: replace_policy_rules() writes them.
CREATE OR REPLACE FUNCTION found_tenant(p_tenant uuid, p_slug text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM acting_manager(p_tenant);
    INSERT INTO governance_tenant (id, slug, policy, pending_edit_days, default_sensitivities, search_language,
        hybrid_alpha, created_at)
    VALUES (p_tenant, p_slug, 'standard', 30, '{}', 'english', 0.5, clock_timestamp());
    PERFORM owe_entry(p_tenant, 'tenant.created', p_slug);
END $$;
