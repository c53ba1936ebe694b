-- executable by: suture_app
-- Let a superuser act as the admin of a tenant that they are about to create, for the rest of this transaction. Returns
-- no row for anyone else, and none for an existing tenant.
CREATE OR REPLACE FUNCTION enter_founder(p_token text, p_tenant uuid) RETURNS TABLE (name text) LANGUAGE plpgsql
SECURITY DEFINER AS $$
DECLARE person uuid := token_bearer(p_token);
BEGIN
    IF EXISTS (SELECT FROM governance_tenant t WHERE t.id = p_tenant) THEN RETURN; END IF;
    SELECT u.username INTO name FROM governance_user u WHERE u.id = person AND u.is_active AND u.is_superuser;
    IF NOT FOUND THEN RETURN; END IF;
    PERFORM open_context(p_tenant, 'human', person, name, '{admin}', '{private,public,team,agent}', NULL);
    RETURN NEXT;
END $$;
