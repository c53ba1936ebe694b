-- The chunks nearest in meaning to a question's vector of p_model that a reader gets, best first: p_limit of them, if
-- that many pass the filters, whatever else the database contains. `score` is the cosine.
--   1. If the filters or the tenant leave few chunks, compare the vectors of all.
--   2. Else use the index of all tenants, scanning until enough chunks are the reader's. This pays off if the tenant
--      has a good part of the index: skipping a chunk costs as much as comparing about 60.
--   3. If that finds too few, because most near chunks are hidden, compare all.
-- A long vector is found by the bits of its numbers, and compared in full only then.
--
-- Its plans know the filters: a generic plan could not use the index of one. Without statistics of tenants, the planner
-- assumes that each is small, and would sort all its vectors instead of using the index: hence enable_sort.
CREATE OR REPLACE FUNCTION semantic_candidates(
    p_tenant uuid, p_vector halfvec, p_model text, f search_filter, p_limit int
) RETURNS TABLE (chunk_id uuid, score real) LANGUAGE plpgsql STABLE ROWS 100
SET plan_cache_mode = force_custom_plan SET enable_seqscan = off SET enable_sort = off AS $$
DECLARE
    dims int := vector_dims(p_vector);
    rows_here bigint;   -- of the tenant, about
    rows_all float8;
    few bigint;         -- up to this many are compared one by one
    ids uuid[];
    narrow text;
    nearest uuid[];
    distances real[];
    expression text;
BEGIN
    IF p_vector IS NULL OR p_limit < 1 THEN RETURN; END IF;
    SELECT m.row_count INTO rows_here FROM memory_embeddingmodel m
    WHERE m.tenant_id = p_tenant AND m.model = p_model AND m.dimensions = dims;
    IF NOT FOUND THEN RETURN; END IF;
    SELECT greatest(c.reltuples, rows_here) INTO rows_all FROM pg_class c WHERE c.oid = 'memory_embedding'::regclass;
    few := CASE WHEN dims IN (384, 512, 768, 1024, 1536, 3072)
        THEN greatest(20000, least(sqrt(60.0 * p_limit * rows_all), 200000)) ELSE 1000000000 END;

    IF num_nonnulls(f.tag, f.actor, f.kind, f.recorder, f.since, f.until) > 0 THEN narrow := narrow_filter(p_tenant, f); END IF;
    IF narrow IS NOT NULL THEN
        ids := ARRAY(SELECT x.id FROM narrow_chunks(p_tenant, narrow, f) x);
    ELSIF num_nonnulls(f.scope, f.subject_type, f.subject_id, f.project_id, f.session_id, f.subject_ids, f.since, f.until) > 0
        -- whether a subject has many is counted in its index: to read as many chunks takes a tenth of a second
        AND (f.subject_type IS NULL OR num_nonnulls(f.scope, f.project_id, f.session_id, f.subject_ids, f.since, f.until) > 0
            OR few >= (SELECT count(*) FROM (
                SELECT FROM memory_effectivechunk x
                WHERE x.tenant_id = p_tenant AND NOT x.is_retracted AND x.subject_type = f.subject_type
                  AND (f.subject_id IS NULL OR x.subject_id = f.subject_id)
                  AND (f.subject_prefix IS NULL OR starts_with(x.subject_id, f.subject_prefix)) LIMIT few + 1) n))
    THEN
        ids := ARRAY(
            SELECT x.id FROM memory_effectivechunk x
            WHERE x.tenant_id = p_tenant AND is_found(x, f) LIMIT few + 1);
    END IF;
    IF cardinality(ids) <= few THEN
        RETURN QUERY
        SELECT e.chunk_id, (1 - (e.dense <=> p_vector))::real
        FROM unnest(ids) AS i (id)
        CROSS JOIN LATERAL (
            SELECT v.chunk_id, v.dense FROM memory_embedding v
            WHERE v.tenant_id = p_tenant AND v.chunk_id = i.id AND v.space = 'E1' AND v.model = p_model LIMIT 1) e
        ORDER BY e.dense <=> p_vector, e.chunk_id LIMIT p_limit;
        RETURN;
    END IF;

    IF rows_here > few THEN
        PERFORM set_config('hnsw.iterative_scan', 'relaxed_order', true),
            set_config('hnsw.ef_search', greatest(100, least(p_limit, 1000))::text, true);
        expression := CASE WHEN dims > 1024
            THEN format('(binary_quantize(e.dense)::bit(%s)) <~> (binary_quantize($1)::bit(%s))', dims, dims)
            ELSE format('(e.dense::halfvec(%s)) <=> ($1::halfvec(%s))', dims, dims) END;
        EXECUTE format(
            'SELECT array_agg(n.chunk_id ORDER BY n.d, n.chunk_id), array_agg(n.d ORDER BY n.d, n.chunk_id) FROM ('
            ' SELECT e.chunk_id, (e.dense <=> $1)::real AS d FROM memory_embedding e CROSS JOIN LATERAL ('
            '  SELECT FROM memory_effectivechunk x WHERE x.tenant_id = $2 AND x.id = e.chunk_id'
            '   AND is_found(x, $4) LIMIT 1) seen'
            ' WHERE e.tenant_id = $2 AND e.model = $3 AND e.space = ''E1'' AND vector_dims(e.dense) = %s'
            ' ORDER BY %s LIMIT $5) n', dims, expression)
        INTO nearest, distances
        USING p_vector, p_tenant, p_model, f, CASE WHEN dims > 1024 THEN greatest(200, 2 * p_limit) ELSE p_limit END;
    END IF;

    IF cardinality(nearest) >= p_limit THEN
        RETURN QUERY SELECT n.id, (1 - n.d)::real FROM unnest(nearest, distances) AS n (id, d) LIMIT p_limit;
        RETURN;
    END IF;
    RETURN QUERY
    SELECT n.chunk_id, (1 - n.d)::real FROM (
        SELECT v.chunk_id, (v.dense <=> p_vector)::real AS d FROM memory_embedding v
        WHERE v.tenant_id = p_tenant AND v.model = p_model AND v.space = 'E1'
        ORDER BY 2, 1 OFFSET 0) n
    CROSS JOIN LATERAL (
        SELECT FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.id = n.chunk_id
          AND is_found(x, f) LIMIT 1) seen
    LIMIT p_limit;
END $$;
