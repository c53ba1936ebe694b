-- The rules of a preset: how many approvals an edit needs by its operation and its proposer's kind. The operation
-- `decide` is no edit: it stands for an agent's own decision of scope policy or global (hold_decisions).
--   standard: people with the reviewer role apply directly; agents apply what only refines; their decisions are in force
--             at once
--   strict:   every agent's edit and decision waits for a person, every person's edit for a second one
--   open:     every edit and decision applies at once
CREATE OR REPLACE FUNCTION preset_rules(p_preset text) RETURNS TABLE (op text, proposer_kind text, approvals smallint)
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT o.op, k.kind, (CASE p_preset
        WHEN 'strict' THEN 1
        WHEN 'standard' THEN (k.kind = 'agent' AND o.op NOT IN ('amend', 'attenuate'))::int
        ELSE 0 END)::smallint
    FROM unnest('{retract,amend,quarantine,attenuate,block,revert}'::text[]) o (op)
        CROSS JOIN unnest('{human,agent}'::text[]) k (kind)
    UNION ALL SELECT 'decide', 'agent', (p_preset = 'strict')::int::smallint
$$;
