-- executable by: suture_owner
-- The fingerprints of the secrets that all nodes share.
CREATE OR REPLACE FUNCTION shared_secrets() RETURNS TABLE (name text, fingerprint text, origin text, noted_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER AS $$
    SELECT s.name, s.fingerprint, s.origin, s.noted_at FROM governance_sharedsecret s ORDER BY s.name
$$;
