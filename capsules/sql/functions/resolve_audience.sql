-- The agents of a requested audience, by id or by slug. `fault` is `unknown` for anything but an active agent of the
-- tenant, `repeated` for the second mention of an agent, else NULL. Each element has its place in the request.
CREATE OR REPLACE FUNCTION resolve_audience(p_tenant uuid, p_audience json) RETURNS TABLE (place text, agent_id uuid, fault text)
LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    RETURN QUERY
    SELECT n.place, n.found, CASE WHEN n.found IS NULL THEN 'unknown' WHEN n.times > 1 THEN 'repeated' END FROM (
        SELECT x.place, x.at, g.id AS found, row_number() OVER (PARTITION BY g.id ORDER BY x.at) AS times
        FROM json_to_recordset(p_audience) AS x (place text, at int, id uuid, slug text)
        LEFT JOIN governance_agent s ON s.tenant_id = p_tenant AND s.slug = x.slug
        LEFT JOIN governance_agent g ON g.tenant_id = p_tenant AND g.id = coalesce(x.id, s.id) AND g.is_active
    ) n ORDER BY n.at;
END $$;
