-- executable by: suture_app
-- The current public keys of the chains of all tenants, which readiness compares with the server's. Needs no context;
-- returns only public keys. Skips from key to key in the index, however many chains share one.
CREATE OR REPLACE FUNCTION pinned_keys() RETURNS SETOF bytea LANGUAGE sql STABLE SECURITY DEFINER AS $$
    WITH RECURSIVE found (key) AS (
        (SELECT c.public_key FROM governance_chain c WHERE c.public_key IS NOT NULL ORDER BY c.public_key LIMIT 1)
        UNION ALL
        SELECT (SELECT c.public_key FROM governance_chain c WHERE c.public_key > f.key ORDER BY c.public_key LIMIT 1)
        FROM found f WHERE f.key IS NOT NULL)
    SELECT f.key FROM found f WHERE f.key IS NOT NULL
$$;
