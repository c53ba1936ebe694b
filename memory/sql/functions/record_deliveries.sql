-- Record that chunks were delivered, once each whatever arrives twice, and count those to agents: p_deliveries is a JSON array. For jobs.
CREATE OR REPLACE FUNCTION record_deliveries(p_tenant uuid, p_deliveries json) RETURNS int LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE recorded int;
BEGIN
    PERFORM require_job(p_tenant);
    WITH given AS (
        INSERT INTO memory_delivery (tenant_id, id, chunk_id, version, receiver_kind, receiver_id, receiver, means,
            session_id, at)
        SELECT p_tenant, d.id, d.chunk_id, d.version, d.receiver_kind, d.receiver_id, d.receiver, d.means, d.session_id,
            d.at
        FROM json_to_recordset(p_deliveries) AS d (id uuid, chunk_id uuid, version int, receiver_kind text,
            receiver_id uuid, receiver text, means text, session_id text, at timestamptz)
        ON CONFLICT (tenant_id, id) DO NOTHING
        RETURNING chunk_id, receiver_kind, at
    ), counted AS (
        INSERT INTO memory_chunkaccess AS a (tenant_id, id, access_count, last_accessed)
        SELECT p_tenant, g.chunk_id, count(*), max(g.at) FROM given g
        WHERE g.receiver_kind = 'agent' GROUP BY g.chunk_id ORDER BY g.chunk_id
        ON CONFLICT (tenant_id, id) DO UPDATE SET access_count = a.access_count + excluded.access_count,
            last_accessed = greatest(a.last_accessed, excluded.last_accessed)
    )
    SELECT count(*) INTO recorded FROM given;
    RETURN recorded;
END $$;

ALTER FUNCTION record_deliveries OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION record_deliveries TO suture_app;
