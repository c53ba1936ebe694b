-- The fingerprints of the secrets that all nodes share.
CREATE OR REPLACE FUNCTION shared_secrets() RETURNS TABLE (name text, fingerprint text, origin text, noted_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT s.name, s.fingerprint, s.origin, s.noted_at FROM governance_sharedsecret s ORDER BY s.name
$$;

ALTER FUNCTION shared_secrets OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION shared_secrets TO suture_owner;
