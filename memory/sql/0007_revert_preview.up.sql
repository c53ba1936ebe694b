-- What a revert would make of a chunk or a decision: the fold with one edit cancelled besides.

-- The chunks of one memory as readers shall see them, were the edits of p_also cancelled besides. Neighbouring chunks
-- of a long text overlap by some words, so a chunk beside an edited one gives up the overlap: it would still say what
-- was corrected.
CREATE FUNCTION fold_memory(p_tenant uuid, p_event uuid, p_chunk uuid, p_also uuid[]) RETURNS TABLE (
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
        SELECT * FROM memory_chunk c
        WHERE c.tenant_id = p_tenant AND (c.event_id = p_event OR p_event IS NULL AND c.id = p_chunk)
        ORDER BY c.chunk_index
    LOOP
        SELECT * INTO f FROM fold_edits(p_tenant, k.id, twins, k.importance, NULL, p_also);
        chunk_id := k.id; is_retracted := f.is_retracted; is_quarantined := f.is_quarantined;
        blocked_channels := f.blocked_channels; importance := f.importance; edits_applied := f.edits_applied;
        superseded_by := NULL;
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
        previous_end := CASE
            WHEN f.is_retracted OR f.is_quarantined OR f.blocked_channels <> '{}' OR f.content_id IS NOT NULL
            THEN k.span_end END;
        RETURN NEXT;
    END LOOP;
END $$;

-- The state of one decision, were the edits of p_also cancelled besides. What superseded it counts only while that is
-- not retracted itself.
CREATE FUNCTION fold_decision(
    p_tenant uuid, p_decision uuid, p_also uuid[],
    OUT is_retracted boolean, OUT is_quarantined boolean, OUT blocked_channels text[], OUT content_id uuid,
    OUT details_id uuid, OUT importance numeric, OUT edits_applied int, OUT status text
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    d memory_decision;
    f record;
BEGIN
    SELECT * INTO STRICT d FROM memory_decision x WHERE x.tenant_id = p_tenant AND x.id = p_decision;
    SELECT * INTO f FROM fold_edits(p_tenant, d.id, (
        SELECT coalesce(array_agg(c.id), '{}') FROM memory_chunk c
        WHERE c.tenant_id = p_tenant AND c.event_id = d.event_id), 1, NULL, p_also);
    is_retracted := f.is_retracted; is_quarantined := f.is_quarantined; blocked_channels := f.blocked_channels;
    importance := f.importance; edits_applied := f.edits_applied;
    content_id := coalesce(f.content_id, d.content_id);
    -- rationale and alternatives may repeat what was corrected
    details_id := CASE WHEN f.content_id IS NULL THEN d.details_id END;
    status := 'active';
    IF EXISTS (
        SELECT 1 FROM memory_decision later JOIN memory_effectivedecision x
            ON x.tenant_id = p_tenant AND x.id = later.id AND NOT x.is_retracted
        WHERE later.tenant_id = p_tenant AND later.supersedes_id = p_decision
    ) THEN status := 'superseded'; END IF;
END $$;

-- A chunk as it is and as it would be, were p_edit reverted now; words and all, also those of a retracted chunk:
-- whether the caller may read them is for the service to ask.
CREATE FUNCTION preview_chunk_revert(p_tenant uuid, p_chunk uuid, p_edit uuid) RETURNS TABLE (
    is_reverted boolean, sensitivity text, text text, importance numeric, is_retracted boolean, is_quarantined boolean,
    blocked_channels text[], is_superseded boolean, edits_applied int
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT side.reverted, k.sensitivity::text, span_of(c.body, f.span_start, f.span_end), f.importance::numeric(5,4),
        f.is_retracted, f.is_quarantined, f.blocked_channels, f.superseded_by IS NOT NULL, f.edits_applied
    FROM memory_chunk k
    CROSS JOIN (VALUES (false, '{}'::uuid[]), (true, ARRAY[p_edit])) side (reverted, also)
    CROSS JOIN LATERAL fold_memory(p_tenant, k.event_id, k.id, side.also) f
    LEFT JOIN governance_content c ON c.tenant_id = p_tenant AND c.id = f.content_id
    WHERE k.tenant_id = p_tenant AND k.id = p_chunk AND f.chunk_id = p_chunk
    ORDER BY side.reverted;
END $$;

-- The same of a decision.
CREATE FUNCTION preview_decision_revert(p_tenant uuid, p_decision uuid, p_edit uuid) RETURNS TABLE (
    is_reverted boolean, sensitivity text, text text, importance numeric, is_retracted boolean, is_quarantined boolean,
    blocked_channels text[], is_superseded boolean, edits_applied int
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT side.reverted, d.sensitivity::text, c.body, f.importance::numeric(5,4), f.is_retracted, f.is_quarantined,
        f.blocked_channels, false, f.edits_applied
    FROM memory_decision d
    CROSS JOIN (VALUES (false, '{}'::uuid[]), (true, ARRAY[p_edit])) side (reverted, also)
    CROSS JOIN LATERAL fold_decision(p_tenant, d.id, side.also) f
    LEFT JOIN governance_content c ON c.tenant_id = p_tenant AND c.id = f.content_id
    WHERE d.tenant_id = p_tenant AND d.id = p_decision
    ORDER BY side.reverted;
END $$;

SELECT governance_hand_to_gate(ARRAY[
    'fold_memory(uuid,uuid,uuid,uuid[])', 'fold_decision(uuid,uuid,uuid[])',
    'preview_chunk_revert(uuid,uuid,uuid)', 'preview_decision_revert(uuid,uuid,uuid)'
]::regprocedure[]);

GRANT CREATE ON SCHEMA public TO suture_gate;  -- CREATE OR REPLACE asks it of the functions' owner
SET ROLE suture_gate;
-- the fold as it is: nothing is cancelled besides
CREATE OR REPLACE FUNCTION fold_memory(p_tenant uuid, p_event uuid, p_chunk uuid) RETURNS TABLE (
    chunk_id uuid, is_retracted boolean, is_quarantined boolean, blocked_channels text[], content_id uuid,
    span_start int, span_end int, importance numeric, superseded_by uuid, edits_applied int
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT * FROM fold_memory(p_tenant, p_event, p_chunk, '{}');
END $$;

CREATE OR REPLACE FUNCTION fold_decision(
    p_tenant uuid, p_decision uuid,
    OUT is_retracted boolean, OUT is_quarantined boolean, OUT blocked_channels text[], OUT content_id uuid,
    OUT details_id uuid, OUT importance numeric, OUT edits_applied int, OUT status text
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    SELECT f.is_retracted, f.is_quarantined, f.blocked_channels, f.content_id, f.details_id, f.importance,
        f.edits_applied, f.status
    INTO is_retracted, is_quarantined, blocked_channels, content_id, details_id, importance, edits_applied, status
    FROM fold_decision(p_tenant, p_decision, '{}') f;
END $$;

GRANT EXECUTE ON FUNCTION preview_chunk_revert(uuid,uuid,uuid), preview_decision_revert(uuid,uuid,uuid)
    TO suture_app, suture_review;
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM suture_gate;
