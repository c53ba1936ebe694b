-- Entries of a chain from p_from to p_to whose columns say another thing than their signed bytes. Those whose bytes are
-- damaged, or no entry, are for the check of the bytes to find.
CREATE OR REPLACE FUNCTION check_entries(p_tenant uuid, p_chain uuid, p_from bigint, p_to bigint) RETURNS TABLE (differing bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    e governance_entry;
    signed jsonb;
    differs boolean;
BEGIN
    PERFORM require_tenant(p_tenant);
    FOR e IN SELECT * FROM governance_entry x
        WHERE x.tenant_id = p_tenant AND x.chain_id = p_chain AND x.seq BETWEEN p_from AND p_to ORDER BY x.seq
    LOOP
        CONTINUE WHEN sha256(e.canonical) <> e.hash;
        BEGIN
            signed := convert_from(e.canonical, 'UTF8')::jsonb;
            differs := signed ->> 'seq' IS DISTINCT FROM e.seq::text
                OR (signed ->> 'ts')::timestamptz IS DISTINCT FROM e.ts
                OR signed ->> 'type' IS DISTINCT FROM e.type
                OR signed ->> 'retention' IS DISTINCT FROM e.retention
                OR signed ->> 'content_hash' IS DISTINCT FROM encode(e.content_hash, 'hex')
                OR signed ->> 'prev_hash' IS DISTINCT FROM encode(e.prev_hash, 'hex')
                OR signed -> 'metadata' IS DISTINCT FROM e.metadata;
        EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
            CONTINUE;
        END;
        IF differs THEN differing := e.seq; RETURN NEXT; END IF;
    END LOOP;
END $$;

ALTER FUNCTION check_entries OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION check_entries TO suture_app;
