-- executable by: suture_app, suture_review, suture_owner
-- Let the operator's token act in a tenant for the rest of this transaction: as a job, as the operator (`system`), or
-- on behalf of an agent or a person of the tenant (for imports). Returns no row for a principal that is not active
-- there; in a tenant that does not exist yet, only the operator can act.
CREATE OR REPLACE FUNCTION enter_operator(p_token text, p_tenant uuid, p_kind text, p_id uuid, p_name text) RETURNS TABLE (
    tenant_slug text, name text, roles text[], channels text[]
) LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF token_bearer(p_token) IS NOT NULL THEN
        RAISE EXCEPTION 'only the operator can act for another principal' USING ERRCODE = 'SU403';
    END IF;
    SELECT t.slug INTO tenant_slug FROM governance_tenant t WHERE t.id = p_tenant;
    roles := '{}'; channels := '{private,public,team,agent}'; name := p_name;
    CASE p_kind
        WHEN 'job', 'system' THEN NULL;
        WHEN 'agent' THEN
            SELECT a.slug, a.channels, CASE WHEN a.reads_quarantined THEN '{quarantine_reader}' ELSE '{}' END
            INTO name, channels, roles FROM governance_agent a
            WHERE a.tenant_id = p_tenant AND a.id = p_id AND a.is_active;
            IF NOT FOUND THEN RETURN; END IF;
        WHEN 'human' THEN
            SELECT u.username, (SELECT array_agg(m.role ORDER BY m.role) FROM governance_membership m
                WHERE m.tenant_id = p_tenant AND m.user_id = u.id AND m.is_active)
            INTO name, roles FROM governance_user u WHERE u.id = p_id AND u.is_active;
            IF roles IS NULL THEN RETURN; END IF;
    END CASE;
    PERFORM open_context(p_tenant, p_kind, p_id, name, roles, channels, NULL);
    RETURN NEXT;
END $$;
