-- Refuse promotion thresholds that are unknown or out of range (governance/edits/promotion_rules.py also reports their
-- place). NULL: the change names none.
CREATE OR REPLACE FUNCTION check_promotion_rules(p_rules jsonb) RETURNS void LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF p_rules IS NULL THEN RETURN; END IF;
    IF jsonb_typeof(p_rules) <> 'object' OR EXISTS (
        SELECT FROM jsonb_each(p_rules) r
        LEFT JOIN (VALUES ('uses_in_session', 1, 1000, 0), ('sessions', 1, 1000, 0), ('successes', 0, 1000, 0),
            ('confidence', 0, 1, 4), ('confidence_days', 0, 3650, 0), ('unused_days', 1, 36500, 0),
            ('low_trust', 0, 1, 4)) k (name, least, most, digits) ON k.name = r.key
        WHERE CASE WHEN r.key = 'promoting_agents' THEN jsonb_typeof(r.value) = 'array'
            WHEN jsonb_typeof(r.value) = 'number' THEN r.value::text::numeric BETWEEN k.least AND k.most
                AND round(r.value::text::numeric, k.digits) = r.value::text::numeric
            ELSE false END IS NOT TRUE)
    THEN
        RAISE EXCEPTION 'a promotion threshold is not valid' USING ERRCODE = 'SU400';
    END IF;
END $$;
