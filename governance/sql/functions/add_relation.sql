-- executable by: suture_app
-- Record that a principal stands in a relation to an object, from one time (NULL: now) until another (NULL: no end);
-- `begins` is the first. Refuses what a relation that is not revoked already says for all of that time.
CREATE OR REPLACE FUNCTION add_relation(
    p_tenant uuid, p_principal text, p_relation text, p_object text, p_valid_from timestamptz, p_valid_until timestamptz,
    p_reason text, OUT relation_id uuid, OUT begins timestamptz, OUT refusal text
) LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE me acting_context := acting_relater(p_tenant);
BEGIN
    IF (is_principal(p_principal) AND is_principal(p_object)) IS NOT TRUE THEN refusal := 'malformed_principal'; RETURN; END IF;
    IF is_relation(p_relation) IS NOT TRUE THEN refusal := 'malformed_relation'; RETURN; END IF;
    -- two calls that add the same take turns; the second begins later than the first, whenever its statement began
    PERFORM pg_advisory_xact_lock(hashtextextended('relations of ' || p_tenant, 0));
    begins := coalesce(p_valid_from, clock_timestamp());
    IF p_valid_until <= begins THEN refusal := 'relation_ends_after'; RETURN; END IF;
    IF EXISTS (
        SELECT FROM governance_relationtuple r
        WHERE r.tenant_id = p_tenant AND r.principal = p_principal AND r.relation = p_relation AND r.object = p_object
          AND r.valid_from <= begins AND coalesce(r.valid_until, 'infinity') >= coalesce(p_valid_until, 'infinity')
          AND NOT EXISTS (
            SELECT FROM governance_relationrevocation v WHERE v.tenant_id = p_tenant AND v.tuple_id = r.id))
    THEN
        refusal := 'relation_exists'; RETURN;
    END IF;
    relation_id := new_id();
    INSERT INTO governance_relationtuple (tenant_id, id, principal, relation, object, valid_from, valid_until, reason,
        recorder_kind, recorded_by, recorder, recorded_at)
    VALUES (p_tenant, relation_id, p_principal, p_relation, p_object, begins, p_valid_until, p_reason, me.kind, me.id,
        me.name, clock_timestamp());
    PERFORM owe_entry(p_tenant, 'relation.added', relation_id::text);
END $$;
