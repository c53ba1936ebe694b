-- executable by: suture_app
-- Let everyone who stands in a relation to an object of a type also stand in another one to it. One level: what is
-- implied implies nothing more.
CREATE OR REPLACE FUNCTION add_implied_relation(
    p_tenant uuid, p_object_type text, p_relation text, p_implies text, OUT implied_id uuid, OUT refusal text
) LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM acting_manager(p_tenant);
    IF (is_relation(p_object_type) AND is_relation(p_relation) AND is_relation(p_implies)) IS NOT TRUE THEN
        refusal := 'malformed_relation'; RETURN;
    END IF;
    IF p_relation = p_implies THEN refusal := 'implied_relation_of_itself'; RETURN; END IF;
    implied_id := new_id();
    INSERT INTO governance_impliedrelation (tenant_id, id, object_type, relation, implies, created_at)
    VALUES (p_tenant, implied_id, p_object_type, p_relation, p_implies, clock_timestamp()) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN refusal := 'implied_relation_exists'; RETURN; END IF;
    PERFORM owe_entry(p_tenant, 'implied_relation.added', implied_id::text);
END $$;
