-- Whether a person has a say in some targets: they proposed or approved an edit that is in effect, or rejected one.
CREATE OR REPLACE FUNCTION is_decided_by_person(p_tenant uuid, p_targets uuid[]) RETURNS boolean LANGUAGE plpgsql STABLE
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM unnest(p_targets) t
        CROSS JOIN LATERAL (
            SELECT * FROM governance_edit e WHERE e.tenant_id = p_tenant AND e.target_id = t OFFSET 0) x
        CROSS JOIN LATERAL (
            SELECT * FROM governance_editstate y WHERE y.tenant_id = p_tenant AND y.edit_id = x.id OFFSET 0) s
        WHERE s.status IN ('approved', 'rejected')
          -- (a subquery with a LIMIT: EXISTS could become a table of all verdicts of the tenant)
          AND (x.proposer_kind = 'human' AND s.status = 'approved' OR (
              SELECT true FROM governance_verdict v
              WHERE v.tenant_id = p_tenant AND v.edit_id = x.id AND v.decider_kind = 'human' LIMIT 1) IS TRUE)
          AND (s.status = 'rejected' OR NOT x.id = ANY (cancelled_edits(p_tenant, p_targets, NULL))));
END $$;
