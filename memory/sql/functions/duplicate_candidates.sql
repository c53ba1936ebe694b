-- executable by: suture_app
-- For each of some chunks, up to 20 that may say the same: of the same scope and subject, with two of its three longest
-- words. With their text, which memory/duplicates.py compares. For jobs.
CREATE OR REPLACE FUNCTION duplicate_candidates(p_tenant uuid, p_chunks uuid[]) RETURNS TABLE (
    chunk_id uuid, text text, content_id uuid, span_start int, span_end int,
    other_id uuid, other_text text, other_content_id uuid, other_span_start int, other_span_end int
) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    k record;
    longest text[];
    wanted tsquery;
BEGIN
    PERFORM require_job(p_tenant);
    FOR k IN
        SELECT x.*, span_of(c.body, x.span_start, x.span_end) AS words
        FROM unnest(p_chunks) i (id)
        CROSS JOIN LATERAL (
            SELECT y.* FROM memory_effectivechunk y WHERE y.tenant_id = v_tenant AND y.id = i.id
              AND NOT y.is_retracted AND y.superseded_by IS NULL LIMIT 1) x
        CROSS JOIN LATERAL content_of(v_tenant, x.content_id) c
    LOOP
        longest := ARRAY(SELECT l FROM unnest(tsvector_to_array(k.tsv)) l ORDER BY length(l) DESC, l LIMIT 3);
        CONTINUE WHEN cardinality(longest) < 2;
        wanted := term_query(v_tenant, longest[1]) && term_query(v_tenant, longest[2]);
        IF cardinality(longest) = 3 THEN
            wanted := wanted || term_query(v_tenant, longest[3]) && term_query(v_tenant, longest[1], longest[2]);
        END IF;
        wanted := wanted && filter_query(v_tenant, NULL, NULL, k.subject_type, k.subject_id, k.project_id, NULL);
        RETURN QUERY
        SELECT k.id, k.words, k.content_id, k.span_start, k.span_end, o.id, span_of(c.body, o.span_start, o.span_end),
            o.content_id, o.span_start, o.span_end
        FROM (SELECT x.id, x.content_id, x.span_start, x.span_end FROM memory_effectivechunk x
              WHERE has_terms(x, v_tenant, wanted) AND NOT x.is_retracted AND x.superseded_by IS NULL AND x.id <> k.id
                AND (x.scope, x.subject_type, x.subject_id, x.project_id)
                    IS NOT DISTINCT FROM (k.scope, k.subject_type, k.subject_id, k.project_id)
                AND abs(length(x.tsv) - length(k.tsv)) <= 1
              LIMIT 20) o
        CROSS JOIN LATERAL content_of(v_tenant, o.content_id) c;
    END LOOP;
END $$;
