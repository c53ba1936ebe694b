-- executable by: suture_app
-- The public keys that sign chains now, of all tenants: readiness compares them with those that the server has. Needs no
-- context; answers public keys only. Walks the index from each key to the next, however many chains have the same one.
CREATE OR REPLACE FUNCTION pinned_keys() RETURNS SETOF bytea LANGUAGE sql STABLE SECURITY DEFINER AS $$
    WITH RECURSIVE found (key) AS (
        (SELECT c.public_key FROM governance_chain c WHERE c.public_key IS NOT NULL ORDER BY c.public_key LIMIT 1)
        UNION ALL
        SELECT (SELECT c.public_key FROM governance_chain c WHERE c.public_key > f.key ORDER BY c.public_key LIMIT 1)
        FROM found f WHERE f.key IS NOT NULL)
    SELECT f.key FROM found f WHERE f.key IS NOT NULL
$$;
