-- executable by: suture_app
-- End a relation now, for good. The row stays.
CREATE OR REPLACE FUNCTION revoke_relation(p_tenant uuid, p_relation uuid, p_reason text, OUT refusal text)
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE me acting_context := acting_relater(p_tenant);
BEGIN
    INSERT INTO governance_relationrevocation (tenant_id, id, tuple_id, principal, reason, recorder_kind, recorded_by,
        recorder, recorded_at)
    SELECT p_tenant, new_id(), r.id, r.principal, p_reason, me.kind, me.id, me.name, clock_timestamp()
    FROM governance_relationtuple r WHERE r.tenant_id = p_tenant AND r.id = p_relation
    ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        refusal := CASE WHEN EXISTS (
            SELECT FROM governance_relationtuple r WHERE r.tenant_id = p_tenant AND r.id = p_relation)
            THEN 'relation_already_revoked' ELSE 'no_such_relation' END;
        RETURN;
    END IF;
    PERFORM owe_entry(p_tenant, 'relation.revoked', p_relation::text);
END $$;
