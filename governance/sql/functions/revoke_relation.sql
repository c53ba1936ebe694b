-- executable by: suture_app
-- End a relation now, for good; returns what it said. The row stays.
CREATE OR REPLACE FUNCTION revoke_relation(
    p_tenant uuid, p_relation uuid, p_reason text, OUT principal text, OUT relation text, OUT object text, OUT refusal text
) LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE me acting_context := acting_relater(p_tenant);
BEGIN
    SELECT r.principal, r.relation, r.object INTO principal, relation, object FROM governance_relationtuple r
    WHERE r.tenant_id = p_tenant AND r.id = p_relation;
    IF NOT FOUND THEN refusal := 'no_such_relation'; RETURN; END IF;
    INSERT INTO governance_relationrevocation AS v (tenant_id, id, tuple_id, principal, reason, recorder_kind, recorded_by,
        recorder, recorded_at)
    VALUES (p_tenant, new_id(), p_relation, revoke_relation.principal, p_reason, me.kind, me.id, me.name,
        clock_timestamp())
    ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN refusal := 'relation_already_revoked'; RETURN; END IF;
    PERFORM owe_entry(p_tenant, 'relation.revoked', p_relation::text);
END $$;
