-- executable by: suture_app, suture_owner
-- Append entries at the locked head, in order. p_canonical are the signed bytes (RFC 8785 JSON); p_public_key signed
-- them and must be the chain's key; p_next_key, if given, signs later entries. Each entry must name the actor of this
-- transaction, and settles a change that owes such an entry.
CREATE OR REPLACE FUNCTION append_entries(
    p_tenant uuid, p_chain uuid, p_ids uuid[], p_canonical bytea[], p_signatures bytea[], p_public_key bytea,
    p_next_key bytea
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting(p_tenant);
    c governance_chain;
    e jsonb;
    digest bytea;
    owes boolean := EXISTS (SELECT FROM governance_owedentry o WHERE o.tenant_id = p_tenant);
BEGIN
    SELECT * INTO STRICT c FROM governance_chain x WHERE x.tenant_id = p_tenant AND x.id = p_chain FOR UPDATE;
    IF c.public_key IS DISTINCT FROM p_public_key THEN
        RAISE EXCEPTION 'the chain is not signed with this key' USING ERRCODE = 'SU409';
    END IF;
    FOR i IN 1 .. cardinality(p_ids) LOOP
        e := convert_from(p_canonical[i], 'UTF8')::jsonb;
        digest := sha256(p_canonical[i]);
        IF (e ->> 'tenant' = p_tenant::text AND e ->> 'chain' = c.name AND (e ->> 'seq')::bigint = c.seq + 1
            AND e ->> 'prev_hash' = encode(c.head, 'hex') AND (e ->> 'ts')::timestamptz > c.ts
            AND octet_length(p_signatures[i]) = 64) IS NOT TRUE
        THEN
            RAISE EXCEPTION 'the entry does not follow the head of its chain' USING ERRCODE = 'SU409';
        END IF;
        -- a job works as the operator
        IF (e #>> '{metadata,actor,kind}' = CASE me.kind WHEN 'job' THEN 'system' ELSE me.kind END
            AND e #>> '{metadata,actor,id}' = me.id::text
            AND (me.kind IN ('job', 'system') OR e #>> '{metadata,actor,name}' = me.name)
            AND (me.kind IN ('job', 'system')
                OR e #>> '{metadata,actor,on_behalf_of}' IS NOT DISTINCT FROM me.on_behalf_of)) IS NOT TRUE
        THEN
            RAISE EXCEPTION 'the entry names a different actor' USING ERRCODE = 'SU403';
        END IF;
        INSERT INTO governance_entry (tenant_id, id, chain_id, seq, ts, type, retention, content_hash, metadata,
            prev_hash, canonical, hash, signature)
        VALUES (p_tenant, p_ids[i], p_chain, c.seq + 1, (e ->> 'ts')::timestamptz, e ->> 'type', e ->> 'retention',
            decode(e ->> 'content_hash', 'hex'), e -> 'metadata', c.head, p_canonical[i], digest, p_signatures[i]);
        IF owes THEN PERFORM settle_entry(p_tenant, e ->> 'type', e -> 'metadata'); END IF;
        c.seq := c.seq + 1; c.head := digest; c.ts := (e ->> 'ts')::timestamptz;
    END LOOP;
    UPDATE governance_chain x SET seq = c.seq, head = c.head, ts = c.ts,
        public_key = coalesce(p_next_key, c.public_key)
    WHERE x.tenant_id = p_tenant AND x.id = p_chain;
END $$;
