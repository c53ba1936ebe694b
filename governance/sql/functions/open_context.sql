-- Let a principal act for the rest of this transaction. Only functions that verify a credential may call it, not roles.
-- p_held_by is the person who issued the verified key p_key, if any. p_on_behalf_of is the principal that the request
-- names (speak_for).
CREATE OR REPLACE FUNCTION open_context(
    p_tenant uuid, p_kind text, p_id uuid, p_name text, p_roles text[], p_channels text[],
    p_held_by uuid, p_key uuid DEFAULT NULL, p_on_behalf_of text DEFAULT NULL
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE payload text;
BEGIN
    IF p_name ~ '[|]' OR p_on_behalf_of ~ '[|]' THEN RAISE EXCEPTION 'a name cannot contain |' USING ERRCODE = 'SU400'; END IF;
    payload := concat_ws('|', '', 'context', p_tenant, p_kind, p_id, p_name, array_to_string(p_roles, ','),
        array_to_string(p_channels, ','), coalesce(p_held_by::text, ''), coalesce(p_key::text, ''),
        coalesce(p_on_behalf_of, ''));
    EXECUTE format('SET LOCAL suture.context = %L',
        context_mac(payload, pg_backend_pid(), transaction_timestamp()) || payload);
END $$;
