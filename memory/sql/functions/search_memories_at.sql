-- executable by: suture_app
-- The chunks that contained a word of a query at a time, best first, at most one of a memory: the p_limit best. `score` is
-- relative to the best. Words decide, because vectors of replaced texts are not kept. Of what has not changed since, the
-- index vectors are read, of the 500 best; what has changed is folded as of the time.
CREATE OR REPLACE FUNCTION search_memories_at(
    p_tenant uuid, p_at timestamptz, p_query text, p_listening text[], p_channels text[], p_include_quarantined boolean,
    p_scope text, p_subject_type text, p_subject_id text, p_subject_ids text[], p_subject_prefix text, p_project_id text,
    p_session_id text, p_tag text, p_kind text, p_actor text, p_recorder text, p_since timestamptz, p_until timestamptz,
    p_metadata text, p_limit int
) RETURNS TABLE (chunk_id uuid, score real) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    v_reader reader := reader_including(p_tenant, p_listening, p_include_quarantined);
    q search_question := parse_question(search_language(p_tenant), p_query);
    f search_filter := (p_listening, v_reader, p_channels, p_include_quarantined, p_scope, p_subject_type, p_subject_id,
        p_project_id, p_session_id, true, NULL, p_tag, p_recorder, NULL, p_actor, p_kind, p_since, p_until, p_subject_ids,
        NULL, NULL, p_subject_prefix);
    changed uuid[] := ARRAY(SELECT c FROM changed_since(p_tenant, p_at) c);
    best real;
    given uuid[] := '{}';  -- first chunks
    one record;
    first uuid;
BEGIN
    PERFORM require_past_reader(v_reader);
    IF numnode(q.matching) = 0 THEN RETURN; END IF;
    FOR one IN
        WITH same AS (
            SELECT x.id, ts_rank_cd(x.tsv, q.matching, 4) AS rank FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant AND x.tsv @@ q.matching AND recorded_at(x.id) <= p_at AND x.id <> ALL (changed)
              AND is_filtered(x, f) AND (p_metadata IS NULL OR had_metadata(x, p_metadata::jsonpath))
            ORDER BY rank DESC, x.id DESC LIMIT 500
        ), other AS (
            SELECT x.id, ts_rank_cd(w.tsv, q.matching, 4) AS rank
            FROM unnest(changed) i (id) CROSS JOIN LATERAL chunk_of(v_tenant, i.id) k
            JOIN memory_effectivechunk x ON x.tenant_id = v_tenant AND x.id = k.id
            CROSS JOIN LATERAL fold_at(v_tenant, k, p_at) s
            CROSS JOIN LATERAL content_left(v_tenant, coalesce(s.content_id, k.content_id), k.id) c
            CROSS JOIN LATERAL text_vector(q.language, (reworded(v_tenant,
                CASE WHEN s.content_id IS NULL THEN span_of(c.body, k.span_start, k.span_end) ELSE c.body END,
                place_of_chunk(k))).text) w (tsv)
            WHERE recorded_at(k.id) <= p_at AND is_filtered(x, f)
              AND (p_metadata IS NULL OR had_metadata(x, p_metadata::jsonpath)) AND w.tsv @@ q.matching
        )
        SELECT s.id, s.rank FROM same s UNION ALL SELECT o.id, o.rank FROM other o ORDER BY 2 DESC, 1 DESC
    LOOP
        first := (memory_with(p_tenant, one.id))[1];
        CONTINUE WHEN first = ANY (given) OR NOT EXISTS (
            SELECT FROM memory_at(p_tenant, first, p_at, p_listening, v_reader, p_include_quarantined) m
            WHERE one.id = ANY (m.chunk_ids));
        given := given || first;
        best := coalesce(best, nullif(one.rank, 0), 1);
        chunk_id := one.id; score := one.rank / best;
        RETURN NEXT;
        EXIT WHEN cardinality(given) >= p_limit;
    END LOOP;
END $$;
