-- The hexadecimal MAC of a context in a transaction: SHA-256 keyed by the secret, nested to prevent length extension. A
-- payload begins with its purpose, so that it cannot be used for another.
CREATE OR REPLACE FUNCTION context_mac(p_payload text, p_backend int, p_began timestamptz) RETURNS text LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
DECLARE s bytea;
BEGIN
    SELECT x.secret INTO STRICT s FROM governance_contextsecret x;
    RETURN encode(sha256(s || sha256(s || int4send(p_backend) || timestamptz_send(p_began)
        || convert_to(p_payload, 'UTF8'))), 'hex');
END $$;
