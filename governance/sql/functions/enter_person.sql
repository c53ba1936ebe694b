-- executable by: suture_app, suture_review
-- Let the token's person act in a tenant for the rest of this transaction, with their current roles there. A superuser
-- without a role acts as an auditor. Returns no row if they may not enter.
CREATE OR REPLACE FUNCTION enter_person(p_token text, p_tenant uuid) RETURNS TABLE (
    tenant_slug text, name text, roles text[], channels text[], is_superuser boolean
) LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    person uuid := token_bearer(p_token);
    u governance_user;
BEGIN
    SELECT * INTO u FROM governance_user x WHERE x.id = person AND x.is_active;
    IF NOT FOUND THEN RETURN; END IF;
    SELECT t.slug INTO tenant_slug FROM governance_tenant t WHERE t.id = p_tenant;
    SELECT array_agg(m.role ORDER BY m.role) INTO roles FROM governance_membership m
    WHERE m.tenant_id = p_tenant AND m.user_id = person AND m.is_active;
    IF roles IS NULL AND u.is_superuser THEN roles := '{auditor}'; END IF;
    IF tenant_slug IS NULL OR roles IS NULL THEN RETURN; END IF;
    name := u.username; is_superuser := u.is_superuser; channels := '{private,public,team,agent}';
    PERFORM open_context(p_tenant, 'human', person, name, roles, channels, NULL);
    RETURN NEXT;
END $$;
