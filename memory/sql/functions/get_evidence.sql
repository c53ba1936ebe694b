-- executable by: suture_app
-- Memory for the evidence of a bundle: the best matches of the query (evidence_matches) and the newest chunks, about
-- the subject or, for the project, about no other subject. If neither is given, memory without a subject and a project,
-- of the scopes session, policy and global; and matches in the session. p_vector is the vector of the query in p_model,
-- NULL to rank by words only. Only chunks that the reader may see: a count of others would reveal their words. If one
-- recorder has nearly all of the newest on the first page, it also returns the newest of other recorders among the
-- 2,000 newest, so that a flood does not hide them. Returns p_best matches after the first p_best_from, and p_newest
-- chunks after p_newest_from; `available` is counted up to p_reach, which is at least p_newest_from + p_newest.
CREATE OR REPLACE FUNCTION get_evidence(
    p_tenant uuid, p_session_id text, p_query text, p_vector halfvec, p_model text, p_subject_type text, p_subject_id text, p_project_id text,
    p_listening text[], p_include_quarantined boolean, p_collapse boolean, p_best_from int, p_best int, p_newest_from int, p_newest int,
    p_reach int
) RETURNS SETOF context_chunk_row LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_reader reader := reader_including(p_tenant, p_listening, p_include_quarantined);
    v_tenant uuid := p_tenant;
    listened search_filter := (p_listening, v_reader, (acting(p_tenant)).channels, p_include_quarantined, NULL,
        NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    meaning search_meaning := ('hybrid', NULL, p_vector, p_model);
    ids uuid[] := '{}';
    ranks real[] := '{}';
    of_subject uuid[];
    of_project uuid[];
    of_nobody uuid[];
    by_subject text[];
    by_project text[];
    by_nobody text[];
    newest uuid[];
    recorders text[];
    flooding text;
    last int := p_newest_from + p_newest;
    walked int := CASE WHEN p_newest_from = 0 THEN greatest(p_reach, 2000) ELSE p_reach END;
BEGIN
    IF p_query IS NOT NULL THEN
        SELECT array_agg(e.id), array_agg(e.rank) INTO ids, ranks
        FROM evidence_matches(v_tenant, p_session_id, p_query, p_subject_type, p_subject_id, p_project_id, listened,
            meaning, p_collapse, p_best_from + p_best) e (id, rank, place)
        WHERE e.place > p_best_from;
    END IF;
    IF p_subject_id IS NOT NULL THEN
        SELECT array_agg(n.id), array_agg(n.recorder) INTO of_subject, by_subject FROM (
            SELECT x.id, x.recorder FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant AND x.subject_type = p_subject_type AND x.subject_id = p_subject_id
              AND is_seen(x, p_listening, v_reader, p_include_quarantined) AND x.tier <> 'archive'
            ORDER BY x.ts DESC, x.id DESC LIMIT walked) n;
    ELSIF p_project_id IS NULL THEN
        SELECT array_agg(n.id), array_agg(n.recorder) INTO of_nobody, by_nobody FROM (
            SELECT y.id, y.recorder FROM unnest('{session,policy,global}'::text[]) AS a (scope)
            CROSS JOIN LATERAL (
                -- most of a scope can be about somebody, so bound the walk
                SELECT x.id, x.ts, x.subject_id, x.project_id, x.recorder FROM memory_effectivechunk x
                WHERE x.tenant_id = v_tenant AND x.scope = a.scope
                  AND is_seen(x, p_listening, v_reader, p_include_quarantined) AND x.tier <> 'archive'
                ORDER BY x.ts DESC, x.id DESC LIMIT greatest(4 * last, walked)
            ) y
            WHERE num_nonnulls(y.subject_id, y.project_id) = 0
            ORDER BY y.ts DESC, y.id DESC LIMIT walked) n;
    END IF;
    IF p_project_id IS NOT NULL THEN
        SELECT array_agg(n.id), array_agg(n.recorder) INTO of_project, by_project FROM (
            SELECT y.id, y.recorder FROM (
                -- most of a project can be about other subjects, so bound the walk
                SELECT x.id, x.ts, x.subject_id, x.recorder FROM memory_effectivechunk x
                WHERE x.tenant_id = v_tenant AND x.project_id = p_project_id
                  AND is_seen(x, p_listening, v_reader, p_include_quarantined) AND x.tier <> 'archive'
                ORDER BY x.ts DESC, x.id DESC LIMIT greatest(4 * last, walked)
            ) y
            WHERE p_subject_id IS NULL OR y.subject_id IS NULL
            ORDER BY y.ts DESC, y.id DESC LIMIT walked) n;
    END IF;
    newest := of_subject[p_newest_from + 1 : last] || of_project[p_newest_from + 1 : last]
        || of_nobody[p_newest_from + 1 : last];
    IF p_newest_from = 0 THEN
        recorders := by_subject[: last] || by_project[: last] || by_nobody[: last];
        SELECT r INTO flooding FROM unnest(recorders) r GROUP BY r HAVING count(*) * 10 >= cardinality(recorders) * 9;
        newest := newest || ARRAY(
            SELECT o.id FROM unnest(of_subject[last + 1 :] || of_project[last + 1 :] || of_nobody[last + 1 :],
                by_subject[last + 1 :] || by_project[last + 1 :] || by_nobody[last + 1 :])
                WITH ORDINALITY AS o (id, recorder, place)
            WHERE o.recorder <> flooding ORDER BY o.place LIMIT p_newest);
        of_subject := of_subject[: p_reach]; of_project := of_project[: p_reach]; of_nobody := of_nobody[: p_reach];
    END IF;
    SELECT array_agg(f.id), array_agg(f.score) INTO ids, ranks FROM (
        SELECT u.id, max(u.score) AS score FROM (
            SELECT * FROM unnest(ids, ranks)
            UNION ALL
            SELECT m, 0 FROM unnest(newest) m
        ) AS u (id, score) GROUP BY u.id
    ) f;
    IF p_collapse THEN  -- of duplicates, keep the best or else the newest
        SELECT array_agg(f.id), array_agg(f.score) INTO ids, ranks FROM unnest(ids, ranks) f (id, score)
        WHERE NOT EXISTS (
            SELECT FROM duplicates_of(v_tenant, f.id) d (id) JOIN unnest(ids, ranks) b (id, score) ON b.id = d.id
            WHERE (b.score, b.id) > (f.score, f.id));
    END IF;
    RETURN QUERY
    SELECT *
    FROM context_chunks(v_tenant, ids, ranks, p_listening, v_reader, p_include_quarantined,
        coalesce(cardinality(of_subject || of_project || of_nobody), 0)) c
    WHERE c.withheld IS NULL;
END $$;
