-- executable by: suture_owner
-- Store the fingerprint of a secret that all nodes share. An existing one stays, unless this replaces it.
CREATE OR REPLACE FUNCTION note_shared_secret(p_name text, p_fingerprint text, p_origin text, p_replaces boolean)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    INSERT INTO governance_sharedsecret AS s (name, fingerprint, origin, noted_at)
    VALUES (p_name, p_fingerprint, p_origin, statement_timestamp())
    ON CONFLICT (name) DO UPDATE
        SET fingerprint = EXCLUDED.fingerprint, origin = EXCLUDED.origin, noted_at = EXCLUDED.noted_at
        WHERE p_replaces;
END $$;
