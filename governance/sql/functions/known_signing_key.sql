-- executable by: suture_app, suture_owner
-- The signing key that new chains pin: its fingerprint and the node that stored it (NULL if none has), and whether any
-- chain has a key. Needs no context: a public key is not secret, and no tenant is revealed.
CREATE OR REPLACE FUNCTION known_signing_key() RETURNS TABLE (fingerprint text, origin text, is_pinned boolean)
LANGUAGE sql STABLE SECURITY DEFINER AS $$
    SELECT s.fingerprint, s.origin,
        s.name IS NOT NULL OR EXISTS (SELECT FROM governance_chain c WHERE c.public_key IS NOT NULL)
    FROM (SELECT) always LEFT JOIN governance_sharedsecret s ON s.name = 'signing_key'
$$;
