-- The rules of a preset: the approvals that an edit needs, by its operation and its proposer's kind. Three rules for
-- agents are not operations:
--   decide     an agent's own decision of scope policy or global (hold_decisions)
--   own        the retract of what the agent alone recorded and nobody else received
--   protected  an edit of what a person recorded or decided on, or what others depend on (approvals_of_edit)
--   standard: edits by reviewers apply at once; agents' edits only if they refine memory that no person recorded or
--             decided on, or retract their own; agents' decisions apply at once
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
    UNION ALL SELECT o.op, 'agent', (p_preset = 'strict')::int::smallint FROM unnest('{decide,own}'::text[]) o (op)
    UNION ALL SELECT 'protected', 'agent', (p_preset <> 'open')::int::smallint
$$;
