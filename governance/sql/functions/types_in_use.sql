-- executable by: suture_app
-- The types of principals, objects, subjects and audiences that the tenant has used. Each app names its own in a function
-- types_in_use_of_<app>.
CREATE OR REPLACE FUNCTION types_in_use(p_tenant uuid) RETURNS SETOF text LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE app name;
BEGIN
    PERFORM require_tenant(p_tenant);
    -- from type to type, not over all relations: ; is the character after :
    RETURN QUERY
    WITH RECURSIVE p (type) AS (
        SELECT split_part(min(r.principal), ':', 1) FROM governance_relationtuple r WHERE r.tenant_id = p_tenant
        UNION ALL
        SELECT split_part(
            (SELECT min(r.principal) FROM governance_relationtuple r
             WHERE r.tenant_id = p_tenant AND r.principal >= p.type || ';'), ':', 1)
        FROM p WHERE p.type IS NOT NULL
    ), o (type) AS (
        SELECT split_part(min(r.object), ':', 1) FROM governance_relationtuple r WHERE r.tenant_id = p_tenant
        UNION ALL
        SELECT split_part(
            (SELECT min(r.object) FROM governance_relationtuple r
             WHERE r.tenant_id = p_tenant AND r.object >= o.type || ';'), ':', 1)
        FROM o WHERE o.type IS NOT NULL
    ), a (type) AS (
        SELECT split_part(min(x.userset), ':', 1) FROM governance_audienceuserset x WHERE x.tenant_id = p_tenant
        UNION ALL
        SELECT split_part(
            (SELECT min(x.userset) FROM governance_audienceuserset x
             WHERE x.tenant_id = p_tenant AND x.userset >= a.type || ';'), ':', 1)
        FROM a WHERE a.type IS NOT NULL
    )
    SELECT p.type FROM p WHERE p.type IS NOT NULL
    UNION SELECT o.type FROM o WHERE o.type IS NOT NULL
    UNION SELECT a.type FROM a WHERE a.type IS NOT NULL
    UNION SELECT i.object_type FROM governance_impliedrelation i WHERE i.tenant_id = p_tenant
    UNION SELECT a.subject_type FROM governance_audiencerule a WHERE a.tenant_id = p_tenant AND a.subject_type <> '';
    FOR app IN SELECT functions_beginning('types_in_use_of_') LOOP
        RETURN QUERY EXECUTE format('SELECT * FROM %I($1)', app) USING p_tenant;
    END LOOP;
END $$;
