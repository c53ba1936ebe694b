-- The span of a file's chunk without the words that it shares with an edited chunk beside it, in characters of its
-- recorded text: those words would repeat what was corrected. NULL, NULL if it shares none; an empty span if no other
-- words are left, or if the positions of words are unknown because masking changed the text. Includes p_also, an edit
-- that is not recorded yet.
CREATE OR REPLACE FUNCTION unshared_span(
    p_tenant uuid, k memory_chunk, p_also applied_edit DEFAULT NULL, OUT span_start int, OUT span_end int
) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    n record;
    length_there int;
BEGIN
    SELECT length(c.body) INTO length_there FROM content_of(p_tenant, k.content_id) c;
    -- erased; what an erasure by value left of it has other positions
    IF NOT FOUND AND spared_text(p_tenant, k.content_id, k.id) IS NULL THEN RETURN; END IF;
    FOR n IN
        SELECT c.id, c AS chunk, max(q.text_end - p.text_start) FILTER (WHERE q.chunk_index < p.chunk_index) AS taken_before,
            min(q.text_start - p.text_start) FILTER (WHERE q.chunk_index > p.chunk_index) AS left_after,
            max(p.text_end - p.text_start) AS length_here
        FROM memory_fileplacement p
        CROSS JOIN LATERAL (
            SELECT y.* FROM memory_fileplacement y
            WHERE y.tenant_id = p_tenant AND y.version_id = p.version_id
              AND y.chunk_index IN (p.chunk_index - 1, p.chunk_index + 1) OFFSET 0) q
        CROSS JOIN LATERAL chunk_of(p_tenant, q.chunk_id) c
        WHERE p.tenant_id = p_tenant AND p.chunk_id = k.id AND q.chunk_id <> k.id
          AND q.text_start < p.text_end AND p.text_start < q.text_end
        GROUP BY c.id, c
    LOOP
        CONTINUE WHEN NOT (
            SELECT g.is_retracted OR g.is_quarantined OR g.blocked_channels <> '{}' OR g.content_id IS NOT NULL
                OR g.audience IS NOT NULL
            FROM fold_edits(p_tenant, n.id, '{}', (n.chunk).importance, NULL, p_also) g)
            AND has_words(p_tenant, (n.chunk).content_id, (n.chunk).content_id);
        IF length_there IS DISTINCT FROM n.length_here THEN span_start := 0; span_end := 0; RETURN; END IF;
        span_start := greatest(coalesce(span_start, 0), coalesce(n.taken_before, 0));
        span_end := least(coalesce(span_end, n.length_here), coalesce(n.left_after, n.length_here));
    END LOOP;
END $$;
