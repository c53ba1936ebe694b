-- Content rows beyond p_after, p_limit at a time, whose words do not give their hash. `last` is the p_after of the next call.
CREATE OR REPLACE FUNCTION check_contents(p_tenant uuid, p_after uuid, p_limit int, OUT checked bigint, OUT last uuid, OUT altered uuid[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT count(*), (array_agg(n.id ORDER BY n.id DESC))[1],
        array_agg(n.id ORDER BY n.id) FILTER (WHERE sha256(n.salt || convert_to(n.body, 'UTF8')) <> n.sha256)
    INTO checked, last, altered
    FROM (SELECT * FROM governance_content c WHERE c.tenant_id = p_tenant AND (p_after IS NULL OR c.id > p_after)
          ORDER BY c.id LIMIT p_limit) n;
END $$;

ALTER FUNCTION check_contents OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION check_contents TO suture_app;
