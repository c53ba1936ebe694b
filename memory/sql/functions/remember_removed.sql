-- Store what is retracted in one memory, as digests: the recorded and the effective text, and the statement, title or
-- name of its typed record. The retract is looked up by its target: planned as a join, PostgreSQL walked every approved
-- edit of the tenant, newest first, until it found the right one (300 ms among 100,000 edits, measured).
CREATE OR REPLACE FUNCTION remember_removed(p_tenant uuid, p_event uuid, p_chunk uuid) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE chunk uuid;
BEGIN
    FOREACH chunk IN ARRAY chunks_of_memory(p_tenant, p_event, p_chunk) LOOP
        DELETE FROM memory_removedvalue v WHERE v.tenant_id = p_tenant AND v.chunk_id = chunk;
        -- starting the statement below costs more than this check
        CONTINUE WHEN NOT EXISTS (
            SELECT FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.id = chunk AND x.is_retracted);
        INSERT INTO memory_removedvalue (tenant_id, id, chunk_id, edit_id, subject_type, subject_id, names_subject,
            digest, cue, other_cue, cue_place, length, reach)
        SELECT p_tenant, new_id(), x.id, r.edit_id, x.subject_type, x.subject_id,
            EXISTS (SELECT 1 FROM unnest(words_of(x.subject_id)) named WHERE length(named) > 2 AND named = ANY (w.words)),
            s.digest, hashtextextended(coalesce(w.longest[1], ''), 0), hashtextextended(w.longest[2], 0),
            coalesce(array_position(w.said, w.longest[1]), 1), cardinality(w.said), reach_of(s.body)
        FROM memory_effectivechunk x
        CROSS JOIN LATERAL (
            SELECT e.id AS edit_id
            FROM (SELECT x.id || ARRAY(SELECT d.id FROM memory_decision d
                                       WHERE d.tenant_id = p_tenant AND d.event_id = x.event_id) AS ids) t
            CROSS JOIN LATERAL applied_edits(p_tenant, t.ids, NULL) e
            WHERE e.op = 'retract' AND NOT e.id = ANY (cancelled_edits(p_tenant, t.ids, NULL, NULL))
            ORDER BY e.applied_at DESC LIMIT 1
        ) r
        CROSS JOIN LATERAL (
            SELECT DISTINCT ON (normal_digest(t.body)) normal_digest(t.body) AS digest, t.body FROM (
                SELECT span_of(c.body, k.span_start, k.span_end) AS body FROM memory_chunk k
                CROSS JOIN LATERAL content_of(p_tenant, k.content_id) c
                WHERE k.tenant_id = p_tenant AND k.id = x.id
                UNION ALL
                SELECT span_of(c.body, x.span_start, x.span_end) FROM governance_content c
                WHERE c.tenant_id = p_tenant AND c.id = x.content_id
                UNION ALL
                SELECT n.body FROM names_of_event(p_tenant, x.event_id) n
            ) t WHERE t.body IS NOT NULL ORDER BY 1
        ) s
        CROSS JOIN LATERAL (
            SELECT words_of(s.body) AS words, string_to_array(normal_text(s.body), ' ') AS said,
                ARRAY(SELECT one FROM unnest(words_of(s.body)) one GROUP BY one ORDER BY length(one) DESC, one LIMIT 2)
                    AS longest
        ) w
        WHERE x.tenant_id = p_tenant AND x.id = chunk;
    END LOOP;
END $$;
