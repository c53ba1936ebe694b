-- The rules of a preset: the approvals that an edit needs, by its operation and its proposer's kind. The operation
-- `decide` is not an edit, but an agent's own decision of scope policy or global (hold_decisions).
--   standard: edits by reviewers apply at once; agents' edits only if they refine memory; agents' decisions apply at
--             once
--   strict:   every edit and decision of an agent needs a person, every person's edit a second person
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
