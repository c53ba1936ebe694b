-- The rules of a preset: how many approvals an edit needs by its operation and its proposer's kind.
--   standard: people with the reviewer role apply directly; agents apply what only refines
--   strict:   every agent's edit waits for a person, every person's for a second one
--   open:     every edit applies at once
CREATE OR REPLACE FUNCTION preset_rules(p_preset text) RETURNS TABLE (op text, proposer_kind text, approvals smallint)
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT o.op, k.kind, (CASE p_preset
        WHEN 'strict' THEN 1
        WHEN 'standard' THEN (k.kind = 'agent' AND o.op NOT IN ('amend', 'attenuate'))::int
        ELSE 0 END)::smallint
    FROM unnest('{retract,amend,quarantine,attenuate,block,revert}'::text[]) o (op)
        CROSS JOIN unnest('{human,agent}'::text[]) k (kind)
$$;

ALTER FUNCTION preset_rules OWNER TO suture_gate;
