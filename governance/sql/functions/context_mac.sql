-- The MAC, in hexadecimal digits, of what a credential opens in a transaction: SHA-256 keyed by the secret, nested so that
-- nothing can be appended to what it covers. A payload begins with what it is for, so that none is taken for another.
CREATE OR REPLACE FUNCTION context_mac(p_payload text, p_backend int, p_began timestamptz) RETURNS text LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
DECLARE s bytea;
BEGIN
    SELECT x.secret INTO STRICT s FROM governance_contextsecret x;
    RETURN encode(sha256(s || sha256(s || int4send(p_backend) || timestamptz_send(p_began)
        || convert_to(p_payload, 'UTF8'))), 'hex');
END $$;
