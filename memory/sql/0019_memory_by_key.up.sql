-- A memory is found by one key at a time. "Its event, or without one its chunk" in one condition, and "any of these
-- chunks" too, are planned before the tables were analyzed as a walk of every row of the tenant, and in a batch of every
-- version of every row that the batch wrote (measured: half of the time of 1,000 retracts).
GRANT CREATE ON SCHEMA public TO suture_gate;  -- CREATE OR REPLACE asks it of the function's owner
SET ROLE suture_gate;
-- The chunks of one memory, of its event or the one that has none, in the order in which they are locked.
CREATE FUNCTION chunks_of_memory(p_tenant uuid, p_event uuid, p_chunk uuid) RETURNS uuid[] LANGUAGE plpgsql STABLE
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    IF p_event IS NULL THEN RETURN ARRAY[p_chunk]; END IF;
    RETURN ARRAY(SELECT c.id FROM memory_chunk c WHERE c.tenant_id = p_tenant AND c.event_id = p_event ORDER BY c.id);
END $$;
REVOKE ALL ON FUNCTION chunks_of_memory(uuid,uuid,uuid) FROM PUBLIC;

CREATE OR REPLACE FUNCTION lock_memory(p_tenant uuid, p_event uuid, p_chunk uuid) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE chunk uuid;
BEGIN
    FOREACH chunk IN ARRAY chunks_of_memory(p_tenant, p_event, p_chunk) LOOP
        PERFORM 1 FROM memory_effectivechunk x WHERE x.tenant_id = p_tenant AND x.id = chunk FOR UPDATE;
    END LOOP;
    IF p_event IS NOT NULL THEN
        PERFORM 1 FROM memory_effectivedecision x WHERE x.tenant_id = p_tenant AND x.event_id = p_event
        ORDER BY x.id FOR UPDATE;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION remember_removed(p_tenant uuid, p_event uuid, p_chunk uuid) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE chunk uuid;
BEGIN
    FOREACH chunk IN ARRAY chunks_of_memory(p_tenant, p_event, p_chunk) LOOP
        DELETE FROM memory_removedvalue v WHERE v.tenant_id = p_tenant AND v.chunk_id = chunk;
        INSERT INTO memory_removedvalue (tenant_id, id, chunk_id, edit_id, subject_type, subject_id, digest)
        SELECT p_tenant, new_id(), s.id, s.edit_id, s.subject_type, s.subject_id, s.digest FROM (
            SELECT DISTINCT x.id, r.edit_id, x.subject_type, x.subject_id, normal_digest(t.body) AS digest
            FROM memory_effectivechunk x
            JOIN memory_chunk k ON k.tenant_id = p_tenant AND k.id = x.id
            CROSS JOIN LATERAL (
                SELECT span_of(c.body, k.span_start, k.span_end) AS body FROM governance_content c
                WHERE c.tenant_id = p_tenant AND c.id = k.content_id
                UNION ALL
                SELECT span_of(c.body, x.span_start, x.span_end) FROM governance_content c
                WHERE c.tenant_id = p_tenant AND c.id = x.content_id
                UNION ALL
                SELECT c.body FROM memory_decision d JOIN governance_content c
                    ON c.tenant_id = p_tenant AND c.id = d.content_id
                WHERE d.tenant_id = p_tenant AND d.event_id = x.event_id
            ) t
            CROSS JOIN LATERAL (
                SELECT e.id AS edit_id FROM applied_edits(p_tenant, x.id || ARRAY(
                    SELECT d.id FROM memory_decision d WHERE d.tenant_id = p_tenant AND d.event_id = x.event_id), NULL) e
                WHERE e.op = 'retract' ORDER BY e.applied_at DESC LIMIT 1
            ) r
            WHERE x.tenant_id = p_tenant AND x.id = chunk AND x.is_retracted
        ) s;
    END LOOP;
END $$;

-- as in 0010
CREATE OR REPLACE FUNCTION fold_memory(p_tenant uuid, p_event uuid, p_chunk uuid, p_also uuid[]) RETURNS TABLE (
    chunk_id uuid, is_retracted boolean, is_quarantined boolean, blocked_channels text[], content_id uuid,
    span_start int, span_end int, importance numeric, superseded_by uuid, edits_applied int
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    k memory_chunk;
    f record;
    twins uuid[];
    said uuid[] := '{}';    -- the amended texts so far, and by which chunk
    said_by uuid[] := '{}';
    previous_end int;       -- where the edited chunk before this one ended in the original text
    next_start int;
    next_edited boolean;
BEGIN
    SELECT coalesce(array_agg(d.id), '{}') INTO twins FROM memory_decision d
    WHERE d.tenant_id = p_tenant AND d.event_id = p_event;
    FOR k IN
        SELECT * FROM memory_chunk c WHERE c.tenant_id = p_tenant AND c.event_id = p_event
        UNION ALL
        SELECT * FROM memory_chunk c WHERE p_event IS NULL AND c.tenant_id = p_tenant AND c.id = p_chunk
        ORDER BY chunk_index
    LOOP
        SELECT * INTO f FROM fold_edits(p_tenant, k.id, twins, k.importance, NULL, p_also);
        chunk_id := k.id; is_quarantined := f.is_quarantined; blocked_channels := f.blocked_channels;
        importance := f.importance; edits_applied := f.edits_applied; superseded_by := NULL;
        IF f.content_id IS NOT NULL THEN
            content_id := f.content_id; span_start := NULL; span_end := NULL;
            -- an amended decision gives its text to one chunk of its memory, not to each
            superseded_by := said_by[array_position(said, f.content_id)];
            said := said || f.content_id;
            said_by := said_by || k.id;
        ELSE
            content_id := k.content_id; span_start := k.span_start; span_end := k.span_end;
            IF k.total_chunks > 1 AND NOT (f.is_retracted OR f.is_quarantined OR f.blocked_channels <> '{}') THEN
                span_start := greatest(k.span_start, previous_end);
                SELECT c.span_start, g.is_retracted OR g.is_quarantined OR g.blocked_channels <> '{}'
                       OR g.content_id IS NOT NULL
                INTO next_start, next_edited
                FROM memory_chunk c, fold_edits(p_tenant, c.id, twins, c.importance, NULL, p_also) g
                WHERE c.tenant_id = p_tenant AND c.event_id = p_event AND c.chunk_index = k.chunk_index + 1;
                IF next_edited THEN span_end := least(k.span_end, next_start); END IF;
                next_edited := false;
                IF span_start >= span_end THEN  -- nothing of its own is left
                    superseded_by := k.id; span_start := k.span_start; span_end := k.span_end;
                END IF;
            END IF;
        END IF;
        is_retracted := f.is_retracted OR NOT has_words(p_tenant, k.content_id, content_id);
        previous_end := CASE
            WHEN f.is_retracted OR f.is_quarantined OR f.blocked_channels <> '{}' OR f.content_id IS NOT NULL
            THEN k.span_end END;
        RETURN NEXT;
    END LOOP;
END $$;

-- As in 0010, but that the words are looked up by their key. Joined, they were scanned once for every chunk in a tenant
-- that is newer than the statistics, of whom the planner expects one row: 3,000 chunks took 5 s where 15,000 were
-- recorded before them, and 1 s in an empty tenant (measured).
CREATE OR REPLACE FUNCTION project_chunks(p_tenant uuid, p_chunks uuid[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO memory_effectivechunk (tenant_id, id, event_id, source, chunk_index, tier, importance, content_id,
        span_start, span_end, recorded_by, recorder, scope, subject_type, subject_id, project_id, session_id, channel,
        sensitivity, ts, is_retracted, is_quarantined, blocked_channels, edits_applied, tsv)
    SELECT p_tenant, k.id, k.event_id, k.source, k.chunk_index, 'task', k.importance, k.content_id, k.span_start,
        k.span_end, k.recorded_by, k.recorder, k.scope, k.subject_type, k.subject_id, k.project_id, k.session_id,
        k.channel, k.sensitivity, k.ts, false, false, '{}', 0,
        text_vector(span_of((
            SELECT c.body FROM governance_content c WHERE c.tenant_id = p_tenant AND c.id = k.content_id
        ), k.span_start, k.span_end))
    FROM memory_chunk k WHERE k.tenant_id = p_tenant AND k.id = ANY (p_chunks);
END $$;

RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM suture_gate;
