GRANT CREATE ON SCHEMA public TO suture_gate;  -- CREATE OR REPLACE asks it of the functions' owner
SET ROLE suture_gate;
CREATE OR REPLACE FUNCTION fold_memory(p_tenant uuid, p_event uuid, p_chunk uuid) RETURNS TABLE (
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
        SELECT * INTO f FROM fold_edits(p_tenant, k.id, twins, k.importance, NULL);
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
                FROM memory_chunk c, fold_edits(p_tenant, c.id, twins, c.importance, NULL) g
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

CREATE OR REPLACE FUNCTION fold_decision(
    p_tenant uuid, p_decision uuid,
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
        WHERE c.tenant_id = p_tenant AND c.event_id = d.event_id), 1, NULL);
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

DROP FUNCTION preview_decision_revert(uuid,uuid,uuid);
DROP FUNCTION preview_chunk_revert(uuid,uuid,uuid);
DROP FUNCTION fold_decision(uuid,uuid,uuid[]);
DROP FUNCTION fold_memory(uuid,uuid,uuid,uuid[]);
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM suture_gate;
