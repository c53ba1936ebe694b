-- One recorded chunk. PostgreSQL inlines it. Join chunks by it, with LATERAL; content_of says why.
CREATE OR REPLACE FUNCTION chunk_of(p_tenant uuid, p_id uuid) RETURNS SETOF memory_chunk LANGUAGE sql STABLE AS $$
    SELECT c.* FROM memory_chunk c WHERE c.tenant_id = p_tenant AND c.id = p_id LIMIT 1
$$;
