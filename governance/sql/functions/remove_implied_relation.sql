-- executable by: suture_app
-- Remove an implied relation; returns what it said.
CREATE OR REPLACE FUNCTION remove_implied_relation(
    p_tenant uuid, p_implied uuid, OUT object_type text, OUT relation text, OUT implies text, OUT refusal text
) LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM acting_manager(p_tenant);
    DELETE FROM governance_impliedrelation i WHERE i.tenant_id = p_tenant AND i.id = p_implied
    RETURNING i.object_type, i.relation, i.implies INTO object_type, relation, implies;
    IF NOT FOUND THEN refusal := 'no_such_implied_relation'; RETURN; END IF;
    PERFORM owe_entry(p_tenant, 'implied_relation.removed', p_implied::text);
END $$;
