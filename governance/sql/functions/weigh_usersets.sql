-- executable by: suture_app
-- Which of some usersets no audience of the tenant has yet (`is_new`), and which the actor has (`is_own`): that of the
-- principal on whose behalf it asks, or else its own. People with a role have every one.
CREATE OR REPLACE FUNCTION weigh_usersets(p_tenant uuid, p_usersets text[])
RETURNS TABLE (userset text, is_new boolean, is_own boolean) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    me acting_context := acting(p_tenant);
    own text[] := CASE WHEN me.kind = 'agent' OR me.on_behalf_of IS NOT NULL
        THEN usersets_of(p_tenant, coalesce(me.on_behalf_of, 'agent:' || me.name)) END;
BEGIN
    RETURN QUERY
    SELECT u.userset, NOT EXISTS (
            SELECT FROM governance_audienceuserset x WHERE x.tenant_id = p_tenant AND x.userset = u.userset COLLATE "C"),
        coalesce(u.userset = ANY (own), true)
    FROM unnest(p_usersets) u (userset);
END $$;
