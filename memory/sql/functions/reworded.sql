-- A text as readers get it: without the values that are forgotten, and with new words for those that are replaced. Also
-- the values that it said. "[…]" stands for words that are forgotten. Guards take effect in the order in which they were
-- applied, so that a new one changes only what is said now. What is cut may join words to another value, so it looks
-- again. If p_is_new, values that are replaced stay: what says them is quarantined.
CREATE OR REPLACE FUNCTION reworded(
    p_tenant uuid, p_text text, p_about value_place, p_is_new boolean DEFAULT false, OUT text text, OUT value_ids uuid[]
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
    s record;
    pieces text;
    reached int;
BEGIN
    text := p_text; value_ids := '{}';
    IF p_text IS NULL OR NOT has_guards(p_tenant) THEN RETURN; END IF;
    FOR turn IN 1 .. 100 LOOP
        pieces := ''; reached := 0;
        FOR s IN
            WITH found AS MATERIALIZED (
                SELECT g.* FROM guarded_spans(p_tenant, text, p_about, p_is_new) g
                WHERE NOT (p_is_new AND g.instead_id IS NOT NULL)
            )
            SELECT f.value_id, f.first, f.last, CASE WHEN f.instead_id IS NULL THEN '[…]' ELSE c.body END AS instead
            FROM found f LEFT JOIN LATERAL content_of(p_tenant, f.instead_id) c ON true
            WHERE f.value_id = (
                SELECT y.value_id FROM found y JOIN memory_guard g ON g.tenant_id = p_tenant AND g.id = y.value_id
                ORDER BY g.applied_at, g.id LIMIT 1)
            ORDER BY f.first, f.last DESC
        LOOP
            IF NOT s.value_id = ANY (value_ids) THEN value_ids := value_ids || s.value_id; END IF;
            CONTINUE WHEN s.first <= reached;
            pieces := pieces || substr(text, reached + 1, s.first - reached - 1) || coalesce(s.instead, '[…]');
            reached := s.last;
        END LOOP;
        EXIT WHEN reached = 0;
        text := pieces || substr(text, reached + 1);
    END LOOP;
    value_ids := ARRAY(SELECT unnest(value_ids) ORDER BY 1);
END $$;
