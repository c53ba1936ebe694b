-- The effective text of an amended memory: its chunks in order, without the words shared by two neighbours.
CREATE OR REPLACE FUNCTION amended_text(p_tenant uuid, p_event uuid) RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER
AS $$
DECLARE
    piece record;
    reached int := 0;
    pieces text[] := '{}';
BEGIN
    FOR piece IN
        SELECT c.body, x.span_start, x.span_end FROM effective_chunks_of(p_tenant, p_event) x
        CROSS JOIN LATERAL content_of(p_tenant, x.content_id) c
        WHERE NOT x.is_retracted AND x.superseded_by IS NULL
        ORDER BY x.chunk_index
    LOOP
        IF piece.span_end IS NULL THEN
            pieces := pieces || piece.body;
        ELSE
            pieces := pieces || btrim(span_of(piece.body, greatest(piece.span_start, reached), piece.span_end));
            reached := piece.span_end;
        END IF;
    END LOOP;
    RETURN array_to_string(pieces, E'\n');
END $$;
