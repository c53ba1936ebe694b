-- executable by: suture_app
-- Record deliveries of chunks, each once even if it arrives twice: p_deliveries is a JSON array. Deliveries to agents
-- count as accesses, of the chunk and of the chunk in the session, and make the chunk due to be evaluated for
-- promotion. Links what the receivers have recorded since (link_delivered). For jobs. Every run takes its locks in the same order, so that runs wait for each other.
CREATE OR REPLACE FUNCTION record_deliveries(p_tenant uuid, p_deliveries json) RETURNS int LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE given memory_delivery[];
BEGIN
    PERFORM require_job(p_tenant);
    WITH recorded AS (
        INSERT INTO memory_delivery AS y (tenant_id, id, chunk_id, version, receiver_kind, receiver_id, receiver, means,
            session_id, at, on_behalf_of)
        SELECT p_tenant, d.id, d.chunk_id, d.version, d.receiver_kind, d.receiver_id, d.receiver, d.means, d.session_id,
            d.at, d.on_behalf_of
        FROM json_to_recordset(p_deliveries) AS d (id uuid, chunk_id uuid, version int, receiver_kind text,
            receiver_id uuid, receiver text, means text, session_id text, at timestamptz, on_behalf_of text)
        ON CONFLICT (tenant_id, id) DO NOTHING
        RETURNING y AS delivery
    )
    SELECT array_agg(r.delivery) INTO given FROM recorded r;
    INSERT INTO memory_chunkaccess AS a (tenant_id, id, access_count, last_accessed)
    SELECT p_tenant, d.chunk_id, count(*), max(d.at) FROM unnest(given) d
    WHERE d.receiver_kind = 'agent' GROUP BY d.chunk_id ORDER BY d.chunk_id
    ON CONFLICT (tenant_id, id) DO UPDATE SET access_count = a.access_count + excluded.access_count,
        last_accessed = greatest(a.last_accessed, excluded.last_accessed);
    INSERT INTO memory_chunksession AS s (tenant_id, id, chunk_id, session_id, access_count, first_accessed, last_accessed)
    SELECT p_tenant, new_id(), d.chunk_id, d.session_id, count(*), min(d.at), max(d.at) FROM unnest(given) d
    WHERE d.receiver_kind = 'agent' AND d.session_id IS NOT NULL
    GROUP BY d.chunk_id, d.session_id ORDER BY d.chunk_id, d.session_id
    ON CONFLICT (tenant_id, chunk_id, session_id) DO UPDATE SET access_count = s.access_count + excluded.access_count,
        first_accessed = least(s.first_accessed, excluded.first_accessed),
        last_accessed = greatest(s.last_accessed, excluded.last_accessed);
    PERFORM queue_promotions(p_tenant, ARRAY(
        SELECT d.chunk_id FROM unnest(given) d WHERE d.receiver_kind = 'agent'));
    PERFORM link_delivered(p_tenant, given);
    RETURN coalesce(cardinality(given), 0);
END $$;
