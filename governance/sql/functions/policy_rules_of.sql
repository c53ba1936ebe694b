-- The rules of a preset with overrides [{op, proposer_kind, sensitivity, approvals}]; the last override of a rule wins.
CREATE OR REPLACE FUNCTION policy_rules_of(p_preset text, p_overrides jsonb) RETURNS TABLE (
    op text, proposer_kind text, sensitivity text, approvals smallint
) LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT DISTINCT ON (y.op, y.proposer_kind, y.sensitivity) y.op, y.proposer_kind, y.sensitivity, y.approvals FROM (
        SELECT p.op, p.proposer_kind, NULL::text AS sensitivity, p.approvals, 0 AS place FROM preset_rules(p_preset) p
        UNION ALL
        SELECT o.rule ->> 'op', o.rule ->> 'proposer_kind', o.rule ->> 'sensitivity',
            (o.rule ->> 'approvals')::smallint, o.place::int
        FROM jsonb_array_elements(p_overrides) WITH ORDINALITY o (rule, place)
    ) y ORDER BY y.op, y.proposer_kind, y.sensitivity, y.place DESC
$$;
