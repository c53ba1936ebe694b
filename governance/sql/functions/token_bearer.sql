-- The id of the token's person, or NULL for the operator. Refuses a token that was not minted for this backend and
-- transaction.
CREATE OR REPLACE FUNCTION token_bearer(p_token text) RETURNS uuid LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE payload text := substr(p_token, 65);
BEGIN
    IF p_token IS NULL OR payload !~ '^[|](person|operator)[|]'
        OR left(p_token, 64) <> context_mac(payload, pg_backend_pid(), transaction_timestamp())
    THEN
        RAISE EXCEPTION 'the token was not minted for this transaction' USING ERRCODE = 'SU403';
    END IF;
    RETURN nullif(split_part(payload, '|', 3), '')::uuid;
END $$;
