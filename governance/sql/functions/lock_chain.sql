-- executable by: suture_app, suture_owner
-- Lock the head of a chain, creating a missing chain, until the end of the transaction. ts is the time of the last
-- entry, or the current time if that is later: the next entry must be later, regardless of its writer's clock.
CREATE OR REPLACE FUNCTION lock_chain(
    p_tenant uuid, p_name text, OUT id uuid, OUT seq bigint, OUT head bytea, OUT ts timestamptz, OUT public_key bytea
) LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT c.id, c.seq, c.head, c.ts, c.public_key INTO id, seq, head, ts, public_key FROM governance_chain c
    WHERE c.tenant_id = p_tenant AND c.name = p_name FOR UPDATE;
    IF NOT FOUND THEN
        INSERT INTO governance_chain (tenant_id, id, name, seq, head, ts)
        VALUES (p_tenant, new_id(), p_name, -1, decode(repeat('00', 32), 'hex'), to_timestamp(0))
        ON CONFLICT DO NOTHING;
        SELECT c.id, c.seq, c.head, c.ts, c.public_key INTO id, seq, head, ts, public_key FROM governance_chain c
        WHERE c.tenant_id = p_tenant AND c.name = p_name FOR UPDATE;
    END IF;
    ts := greatest(ts, clock_timestamp());
END $$;
