-- executable by: suture_app
-- One capsule for a reader, or the reason for its refusal.
CREATE OR REPLACE FUNCTION read_capsule(
    p_tenant uuid, p_capsule uuid, p_listening text[]
) RETURNS SETOF capsule_row LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
    v_reader reader := reader_of(p_tenant, p_listening);
    me acting_context := acting(p_tenant);
    found capsule_row;
BEGIN
    found.refusal := capsule_refusal(p_tenant, p_capsule, me.kind, me.id);
    IF found.refusal IS NOT NULL THEN RETURN NEXT found; RETURN; END IF;
    RETURN QUERY SELECT * FROM capsule_rows(p_tenant, ARRAY[p_capsule], p_listening, v_reader, true);
END $$;
