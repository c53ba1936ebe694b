-- The terms of a question that a chunk contains itself, and those that its neighbours lend it: {"own": [...], "lent":
-- [{"chunk_id", "terms"}, ...]}. Only neighbours that the reader may see are named: no other lends (lends_to).
CREATE OR REPLACE FUNCTION lent_words(p_tenant uuid, p_chunk uuid, p_terms text[], f search_filter) RETURNS jsonb
LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_tenant uuid := p_tenant;
    k memory_chunk;
    blocked text[];
    heard int[];
    own text[];
    lent jsonb;
BEGIN
    SELECT x.blocked_channels, x.audience, ARRAY(SELECT t FROM unnest(p_terms) t WHERE x.tsv @@ any_term(ARRAY[t]) ORDER BY 1)
    INTO blocked, heard, own FROM memory_effectivechunk x WHERE x.tenant_id = v_tenant AND x.id = p_chunk;
    SELECT * INTO k FROM memory_chunk c WHERE c.tenant_id = v_tenant AND c.id = p_chunk;
    SELECT jsonb_agg(jsonb_build_object('chunk_id', n.chunk_id, 'terms', n.terms) ORDER BY n.place) INTO lent
    FROM (
        SELECT s.place, s.chunk_id,
            ARRAY(SELECT t FROM unnest(p_terms) t WHERE s.tsv @@ any_term(ARRAY[t]) ORDER BY 1) AS terms
        FROM neighbours_of(k, blocked, heard) s
        CROSS JOIN LATERAL (
            SELECT FROM memory_effectivechunk y WHERE y.tenant_id = v_tenant AND y.id = s.chunk_id
              AND is_seen(y, f.listening, f.reader, f.include_quarantined) LIMIT 1) seen
        WHERE s.lends
    ) n WHERE n.terms <> '{}';
    RETURN jsonb_build_object('own', own, 'lent', coalesce(lent, '[]'));
END $$;
