SET ROLE suture_gate;
DROP FUNCTION append_entries(uuid,uuid,uuid[],bytea[],bytea[],bytea,bytea);
DROP FUNCTION lock_chain(uuid,text);
RESET ROLE;

-- Lock the head of a chain, making the chain if it is new. Held to the end of the transaction.
CREATE FUNCTION lock_chain(p_tenant uuid, p_name text, OUT id uuid, OUT seq bigint, OUT head bytea, OUT ts timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT c.id, c.seq, c.head, c.ts INTO id, seq, head, ts FROM governance_chain c
    WHERE c.tenant_id = p_tenant AND c.name = p_name FOR UPDATE;
    IF NOT FOUND THEN
        INSERT INTO governance_chain (tenant_id, id, name, seq, head, ts)
        VALUES (p_tenant, new_id(), p_name, -1, decode(repeat('00', 32), 'hex'), to_timestamp(0))
        ON CONFLICT DO NOTHING;
        SELECT c.id, c.seq, c.head, c.ts INTO id, seq, head, ts FROM governance_chain c
        WHERE c.tenant_id = p_tenant AND c.name = p_name FOR UPDATE;
    END IF;
END $$;

-- Append one entry at the locked head. The database computes the hash of the bytes that it stores.
CREATE FUNCTION append_entry(
    p_tenant uuid, p_chain uuid, p_id uuid, p_seq bigint, p_ts timestamptz, p_type text, p_retention text,
    p_content_hash bytea, p_metadata jsonb, p_prev_hash bytea, p_canonical bytea
) RETURNS bytea LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE digest bytea := sha256(p_canonical);
BEGIN
    PERFORM require_tenant(p_tenant);
    UPDATE governance_chain c SET seq = p_seq, head = digest, ts = p_ts
    WHERE c.tenant_id = p_tenant AND c.id = p_chain AND c.seq = p_seq - 1 AND c.head = p_prev_hash AND c.ts < p_ts;
    IF NOT FOUND THEN RAISE EXCEPTION 'the entry does not follow the head of its chain' USING ERRCODE = 'SU409'; END IF;
    INSERT INTO governance_entry (tenant_id, id, chain_id, seq, ts, type, retention, content_hash, metadata, prev_hash,
        canonical, hash)
    VALUES (p_tenant, p_id, p_chain, p_seq, p_ts, p_type, p_retention, p_content_hash, p_metadata, p_prev_hash,
        p_canonical, digest);
    RETURN digest;
END $$;

SELECT governance_hand_to_gate(ARRAY[
    'lock_chain(uuid,text)',
    'append_entry(uuid,uuid,uuid,bigint,timestamptz,text,text,bytea,jsonb,bytea,bytea)'
]::regprocedure[]);

SET ROLE suture_gate;
GRANT EXECUTE ON FUNCTION lock_chain(uuid,text),
    append_entry(uuid,uuid,uuid,bigint,timestamptz,text,text,bytea,jsonb,bytea,bytea) TO suture_app, suture_owner;
RESET ROLE;
