-- The fold of one memory (fold_memory) with a content row for each text that guards changed. A statement that calls this
-- does not see that row yet, so `reworded` has its text.
CREATE OR REPLACE FUNCTION folded_memory(p_tenant uuid, p_event uuid, p_chunk uuid) RETURNS TABLE (
    chunk_id uuid, is_retracted boolean, is_quarantined boolean, blocked_channels text[], content_id uuid,
    span_start int, span_end int, importance numeric, superseded_by uuid, edits_applied int, is_superseded boolean,
    reworded text, tags text[], audience int[]
) LANGUAGE plpgsql SECURITY DEFINER ROWS 2 AS $$
DECLARE f record;
BEGIN
    FOR f IN SELECT * FROM fold_memory(p_tenant, p_event, p_chunk) LOOP
        IF f.reworded IS NOT NULL THEN
            f.content_id := store_rewording(
                p_tenant, f.content_id, f.span_start, f.span_end, f.chunk_id, f.reworded, f.value_ids);
            f.span_start := NULL; f.span_end := NULL;
        END IF;
        chunk_id := f.chunk_id; is_retracted := f.is_retracted; is_quarantined := f.is_quarantined;
        blocked_channels := f.blocked_channels; content_id := f.content_id; span_start := f.span_start;
        span_end := f.span_end; importance := f.importance; superseded_by := f.superseded_by;
        edits_applied := f.edits_applied; is_superseded := f.is_superseded;
        reworded := f.reworded; tags := f.tags; audience := f.audience;
        RETURN NEXT;
    END LOOP;
END $$;
